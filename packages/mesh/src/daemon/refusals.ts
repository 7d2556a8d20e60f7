/**
 * Translates errors of the library for the control socket, and back. So a client of a daemon gets the same errors as a member.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import {
  DeadlockError,
  denied,
  invalidState,
  LockLostError,
  LockStolenError,
  LockTimeoutError,
  NoQuorumError,
  notSupported,
  quotaExceeded,
  RunUnknownError,
} from '../locks/errors.ts'
import { LONGEST_MESSAGE, type Refusal } from './control-messages.ts'

type Thrown = readonly [is: (error: unknown) => boolean, make: (message: string) => Error]

const isNamed = (name: string) => (error: unknown) => error instanceof DOMException && error.name === name

/** The first match counts. */
const ERRORS: Readonly<Record<Exclude<Refusal, 'taken'>, Thrown>> = {
  timeout: [(error) => error instanceof LockTimeoutError, (message) => new LockTimeoutError(message)],
  deadlock: [(error) => error instanceof DeadlockError, (message) => new DeadlockError(message)],
  'no-quorum': [(error) => error instanceof NoQuorumError, (message) => new NoQuorumError(message)],
  'run-unknown': [(error) => error instanceof RunUnknownError, (message) => new RunUnknownError(message)],
  stolen: [(error) => error instanceof LockStolenError, (message) => new LockStolenError(message)],
  lost: [(error) => error instanceof LockLostError, (message) => new LockLostError(message)],
  quota: [isNamed('QuotaExceededError'), quotaExceeded],
  denied: [isNamed('SecurityError'), denied],
  'not-supported': [isNamed('NotSupportedError'), notSupported],
  closed: [isNamed('InvalidStateError'), invalidState],
  invalid: [(error) => error instanceof InvalidInput, (message) => new InvalidInput(message)],
  range: [(error) => error instanceof RangeError, (message) => new RangeError(message)],
  type: [(error) => error instanceof TypeError, (message) => new TypeError(message)],
  failed: [() => true, (message) => new Error(message)],
}

export function refusalOf(error: unknown): { readonly why: Refusal; readonly message: string } {
  const found = Object.entries(ERRORS).find(([, [is]]) => is(error))
  const message = error instanceof Error ? error.message : String(error)
  return { why: (found?.[0] ?? 'failed') as Refusal, message: message.slice(0, LONGEST_MESSAGE) }
}

export function errorOf(why: Exclude<Refusal, 'taken'>, message: string): Error {
  return ERRORS[why][1](message)
}
