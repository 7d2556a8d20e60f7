/** Who may speak with a daemon, and of which names. */
import type { Question } from './words.ts'

type Hello = Extract<Question, { kind: 'hello' }>

export interface Gate {
  /**
   * Whether there is a network in between. Then the end of a connection says nothing of the process at its other end (C9), and a client that
   * dies may not end it.
   */
  readonly isFar: boolean
  /** Milliseconds after which a client that says nothing is shown out; null if it may be silent for ever. */
  readonly silence: number | null
  /** Which names the client may use; or, as a text, why it is not let in. */
  admit(hello: Hello): Permission | string
}

export type Permission = (name: string) => boolean

/** Whoever can open the control socket is the user of the daemon. */
export const AT_HOME: Gate = { isFar: false, silence: null, admit: () => () => true }
