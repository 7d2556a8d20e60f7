/** Tests that name a rule, and show that they fail without it. */
import { expect, test } from 'vitest'
import { brokenMeetings, SOUND_MEETING } from '../../../broken/meeting.ts'
import { type Call, rowOf, VIEW } from '../../../src/protocol/meeting/cells.ts'
import type { MeetingRules } from '../../../src/protocol/meeting/meeting-rules.ts'
import { MeetingScript, type Options } from '../script.ts'

/** `check` passes with the rules as they are, and fails with the named mistake. */
export function provenBy(mistake: string, what: string, check: (rules: MeetingRules) => void): void {
  test(what, () => check(SOUND_MEETING))
  test(`${what}: fails with ${mistake}`, () => {
    const broken = brokenMeetings.find(({ name }) => name === mistake)
    expect(broken, mistake).toBeDefined()
    expect(() => check({ ...SOUND_MEETING, ...broken?.change })).toThrow()
  })
}

/** A view of all these, in this order. */
export function met(
  names: readonly string[],
  rules: MeetingRules = SOUND_MEETING,
  options: Options = {},
): MeetingScript {
  const script = new MeetingScript(rules)
  for (const name of names) {
    script.add(name, options)
    for (let i = 0; i < 30 && script.node(name).begun === null; i += 1) script.pass(1)
  }
  expect(script.members).toEqual(names.map((name) => `${name}1`))
  const epoch = script.view?.epoch
  expect(script.begun).toEqual(Object.fromEntries(names.map((name) => [name, epoch])))
  return script
}

/** Nothing passes to or from these sessions. */
export function cutOff(...ids: string[]): (from: string, to: string) => boolean {
  return (from, to) => !ids.includes(from) && !ids.includes(to)
}

/** Whether this call decides a view. */
export const isDecision = (call: Call): boolean => call.do === 'cas' && call.cell === VIEW

/** `a` proposes, everybody has reported, and its decision is under way. */
export function deciding(names: readonly string[], rules: MeetingRules = SOUND_MEETING): MeetingScript {
  const script = met(names, rules)
  script.fate = (id, call) => (id === 'a' && isDecision(call) ? 'later' : 'now')
  script.do('a', { kind: 'renew' })
  return script
}

/** Whether this call renews the row of `a`. */
export const isRenewal = (call: Call): boolean => call.do === 'cas' && call.cell === rowOf('a1')

/** As others end a lease: on the version that is there. */
export function seal(script: MeetingScript, session: string, cut: readonly string[] = []): void {
  script.scribble(rowOf(session), JSON.stringify({ ...script.row(session), sealed: true, cut }))
}

/** Rounds of ticks until it is so, and not for ever. */
export function until(script: MeetingScript, isSo: () => boolean, most = 60): void {
  for (let i = 0; i < most && !isSo(); i += 1) script.pass(1)
  expect(isSo()).toBe(true)
}
