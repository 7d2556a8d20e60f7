/** Who may speak with a daemon, and about which names. */
import { deadlockSeenBy } from '../locks/deadlocks.ts'
import { DeadlockError } from '../locks/errors.ts'
import type { Question, Refusal } from './control-messages.ts'
import { refusalOf } from './refusals.ts'

type Hello = Extract<Question, { kind: 'hello' }>

export interface Gate {
  /**
   * Whether a network is in between. Then the end of a connection says nothing about the process at its other end (C9), and a
   * client that dies may not end it.
   */
  readonly isFar: boolean
  /** Milliseconds after which a silent client is disconnected; null if it may be silent for ever. */
  readonly silence: number | null
  /** The names that the client may use, or as a text why it is not admitted. */
  admit(hello: Hello): Permission | string
  /** Called while much output waits for a client. A door may close connections, because strangers share the memory of the daemon. */
  readonly crowded?: () => void
}

export type Permission = (name: string) => boolean

/** A process that can open the control socket runs as the user of the daemon, so it may use every name. */
export const AT_HOME: Gate = { isFar: false, silence: null, admit: () => () => true }

/**
 * An error as a client at a door may read it: with names that it may use, and without the reasons of the daemon's node, which may
 * tell addresses and paths.
 */
export function refusalAtDoor(
  error: unknown,
  may: Permission,
): { readonly why: Refusal; readonly message: string } {
  if (error instanceof DeadlockError) return refusalOf(deadlockSeenBy(error, may))
  const refusal = refusalOf(error)
  return { ...refusal, message: REASONS[refusal.why] ?? refusal.message }
}

const REASONS: { readonly [why in Refusal]?: string } = {
  'no-quorum': "the daemon's node has no quorum",
  'run-unknown': 'it is unknown whether the run is remembered',
  closed: "the daemon's node is leaving, or is not in its mesh",
  failed: "the daemon's node has failed",
}
