/** Who may speak with a daemon, and about which names. */
import type { Question } from './words.ts'

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
}

export type Permission = (name: string) => boolean

/** A process that can open the control socket runs as the user of the daemon, so it may use every name. */
export const AT_HOME: Gate = { isFar: false, silence: null, admit: () => () => true }
