/** Why a lock was not acquired, or was lost: each error has its own class, name and `code`. */

/** The lease ended, or the others went on without this node. The fence of the lock is stale. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError'
  readonly code = 'LOCK_LOST'
}

export function lockLost(name: string): LockLostError {
  return new LockLostError(`"${name}" is lost: the lease ended before it was renewed`)
}

/**
 * For whoever hears of it by a signal or a rejection. Where in our code that was made says nothing, and to find it out takes longer than
 * all the rest: with very many that are lost together the next lease would be lost over it.
 */
export function lockLostUnasked(name: string): LockLostError {
  const limit = Error.stackTraceLimit
  // Not by assignment, which throws where a program has frozen it.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return lockLost(name)
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}

/** The lock was not acquired within `timeout`. */
export class LockTimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'LOCK_TIMEOUT'
}

export function lockTimedOut(name: string, timeout: number): LockTimeoutError {
  return new LockTimeoutError(`timed out after ${timeout} ms waiting for "${name}"`)
}

/** The lock was held for longer than `maxHold`, and has been released. */
export class HeldTooLongError extends Error {
  override readonly name = 'HeldTooLongError'
  readonly code = 'HELD_TOO_LONG'
}

/** Callers wait for each other in a circle, and this was the youngest request of it. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
  readonly code = 'DEADLOCK'
}

/** Too few voters can be reached, so no lock can be granted. */
export class NoQuorumError extends Error {
  override readonly name = 'NoQuorumError'
  readonly code = 'NO_QUORUM'
}

/** It cannot be known whether a job has run for a fire time. It was not run here. */
export class RunUnknownError extends Error {
  override readonly name = 'RunUnknownError'
  readonly code = 'RUN_UNKNOWN'
}

/** Nobody answers at the control socket of a daemon, or not in a way that can be understood; or the daemon has ended. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError'
  readonly code = 'NO_DAEMON'
}

/** Another caller took the lock. An AbortError by name, as for Web Locks; `instanceof` and `reason` tell it from others. */
export class LockStolenError extends DOMException {
  readonly reason = 'stolen'

  constructor(message: string) {
    super(message, 'AbortError')
  }
}

export function notSupported(message: string): DOMException {
  return new DOMException(message, 'NotSupportedError')
}

/** It may not use this name. */
export function denied(message: string): DOMException {
  return new DOMException(message, 'SecurityError')
}

/** This node holds as much as it may. */
export function quotaExceeded(message: string): DOMException {
  return new DOMException(message, 'QuotaExceededError')
}

/** The node has left, or never joined. */
export function invalidState(message: string): DOMException {
  return new DOMException(message, 'InvalidStateError')
}

export function tooManyHeld(name: string, most: number): DOMException {
  return quotaExceeded(
    `cannot request "${name}": callers of this node hold ${most} locks, which is the limit`,
  )
}
