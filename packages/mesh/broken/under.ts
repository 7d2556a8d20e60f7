/** Replaces decisions of the protocol, for as long as it takes to ask it something. */
import { type Rules, rules } from '../src/protocol/rules.ts'

/** As they are. */
export const SOUND: Rules = { ...rules }

/** Whether none of these is replaced. */
export function isSound(wanted: Rules, ...names: readonly (keyof Rules)[]): boolean {
  return names.every((name) => wanted[name] === SOUND[name])
}

let inForce = SOUND

/** What `ask` returns with these rules in force. Nobody else asks meanwhile: the protocol does not wait. */
export function under<Answer>(wanted: Rules, ask: () => Answer): Answer {
  if (wanted === inForce) return ask()
  const before = inForce
  enforce(wanted)
  try {
    return ask()
  } finally {
    enforce(before)
  }
}

/** From now on: for a process of its own, before it joins. */
export function enforce(wanted: Rules): void {
  Object.assign(rules, differences(inForce).sound, differences(wanted).wanted)
  inForce = wanted
}

interface Differences {
  readonly sound: Partial<Rules>
  readonly wanted: Partial<Rules>
}

/** Few of many, and put in place at every event: found once. */
const known = new WeakMap<Rules, Differences>()

function differences(wanted: Rules): Differences {
  const found = known.get(wanted) ?? { sound: differing(SOUND, wanted), wanted: differing(wanted, SOUND) }
  known.set(wanted, found)
  return found
}

function differing(these: Rules, others: Rules): Partial<Rules> {
  const kept = Object.entries(these).filter(([name, rule]) => rule !== others[name as keyof Rules])
  return Object.fromEntries(kept)
}
