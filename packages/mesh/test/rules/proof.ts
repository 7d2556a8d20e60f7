/** Tests that name a rule, and show that they fail without it. */
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { broken, brokenRules } from '../../broken/rules.ts'
import { SOUND } from '../../broken/under.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import type { Config } from '../../src/protocol/state.ts'
import { Script } from '../script.ts'

/** `check` passes with the rules as they are, and fails with each of the named mistakes. */
export function provenBy(mistakes: string | string[], what: string, check: (rules: Rules) => void): void {
  test(what, () => check(SOUND))
  for (const mistake of [mistakes].flat()) {
    test(`${what}: fails with ${mistake}`, () => {
      expect(brokenRules.map(({ name }) => name)).toContain(mistake)
      expect(() => check(broken(mistake))).toThrow()
    })
  }
}

/** A view of all these, with leases from 0 to 100. */
export function begun(ids: readonly string[], rules: Rules = SOUND, config: Partial<Config> = {}): Script {
  const script = new Script(ids, rules, config)
  script.do(get(ids, 0), { kind: 'renew' })
  script.beat(...ids)
  expect(script.views).toEqual(Object.fromEntries(ids.map((id) => [id, 1])))
  return script
}

/** Nothing passes to or from these. */
export function cutOff(...ids: string[]): (from: string, to: string) => boolean {
  return (from, to) => !ids.includes(from) && !ids.includes(to)
}

/** Of three, one is cut off, and `a` proposes a view without it. The lease of that one is about to end. */
export function goneOnWithout(id: string, rules: Rules): Script {
  const script = begun(['a', 'b', 'c'], rules)
  script.passes = cutOff(id)
  script.now = 60
  script.do('a', { kind: 'renew' })
  script.now = 95
  return script
}

export function heartbeatOf(
  voterId: string,
  change: Partial<MessageOf<'heartbeat'>> = {},
): MessageOf<'heartbeat'> {
  return {
    type: 'heartbeat',
    session: { voterId, k: 1 },
    at: 0,
    lease: 100,
    begun: null,
    accepted: null,
    promised: 0,
    mark: '',
    suspects: [],
    wish: null,
    ...change,
  }
}

export function prepare(epoch: number, ballot: string): MessageOf<'prepare'> {
  return { type: 'prepare', epoch, ballot, insists: false }
}

/** What one event at a node sends, by type. */
export function answers(script: Script, id: string, from: string, message: Message): string[] {
  const before = script.sent.length
  script.do(id, { kind: 'receive', from, message })
  return script.sent.slice(before).flatMap((sent) => (sent.from === id ? [sent.message.type] : []))
}

/** The voters of the view that this node has begun. */
export function voters(script: Script, id: string): string[] | undefined {
  return script
    .node(id)
    .begun?.voters.map((voter) => voter.id)
    .toSorted()
}
