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
 * For signals and rejections. Its stack would only show our own code, and computing it takes longer than all the rest. If very
 * many locks are lost together, that could cost the next lease.
 */
export function lockLostUnasked(name: string): LockLostError {
  const limit = Error.stackTraceLimit
  // An assignment would throw where a program has frozen it.
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
  return new LockTimeoutError(`timed out after ${Math.round(timeout)} ms waiting for "${name}"`)
}

/** The lock was held for longer than `maxHold`, and has been released. */
export class HeldTooLongError extends Error {
  override readonly name = 'HeldTooLongError'
  readonly code = 'HELD_TOO_LONG'
}

/** Callers wait for each other in a circle, and this was the youngest request in it. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
  readonly code = 'DEADLOCK'
}

/** Too few voters can be reached, so no lock can be granted. */
export class NoQuorumError extends Error {
  override readonly name = 'NoQuorumError'
  readonly code = 'NO_QUORUM'
}

/** It is unknown whether a job has run for a fire time. It was not run here. */
export class RunUnknownError extends Error {
  override readonly name = 'RunUnknownError'
  readonly code = 'RUN_UNKNOWN'
}

/** No daemon answers at the control socket or the door, its answer cannot be understood, or it has ended. */
export class NoDaemonError extends Error {
  override readonly name = 'NoDaemonError'
  readonly code = 'NO_DAEMON'
}

/** Another caller took the lock. Its name is AbortError, as for Web Locks. `instanceof` and `reason` distinguish it. */
export class LockStolenError extends DOMException {
  readonly reason = 'stolen'

  constructor(message: string) {
    super(message, 'AbortError')
  }
}

export function notSupported(message: string): DOMException {
  return new DOMException(message, 'NotSupportedError')
}

/** The client may not use this name. */
export function denied(message: string): DOMException {
  return new DOMException(message, 'SecurityError')
}

/** This node holds as many locks as it may. */
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
