/** What registers on servers share: time limits for answers, errors without secrets, and decoding of URLs. */

/** Rejects if the answer takes too long. The call may still have been executed. */
export async function inTime<Answer>(asked: Promise<Answer>, patienceMs: number): Promise<Answer> {
  let dismiss = () => {}
  const tooLate = new Promise<never>((_, reject) => {
    dismiss = later(patienceMs, () => reject(new Error(`no answer within ${Math.round(patienceMs)} ms`)))
  })
  try {
    return await Promise.race([asked, tooLate])
  } finally {
    dismiss()
  }
}

/**
 * Runs `act` after so many milliseconds, but not before input that has arrived was read. Node runs timers first, so a program
 * that was busy for longer would miss an answer that is already there. Returns the function that cancels it.
 */
export function later(ms: number, act: () => void): () => void {
  let isDismissed = false
  const timer = setTimeout(() => setImmediate(() => isDismissed || act()), ms)
  return () => {
    isDismissed = true
    clearTimeout(timer)
  }
}

/** Repeats the call until it succeeds or the deadline has passed. Use it only for calls that may run twice. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  deadline: number,
  mayHelp: (error: unknown) => boolean = () => true,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!mayHelp(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => void setTimeout(resolve, 100))
    }
  }
}

/** One line without secrets. Node combines several failed addresses into one error without a message. */
export function complaintOf(error: unknown, secrets: readonly string[] = []): string {
  const { message = '', code = '', errors = [] } = error as Partial<AggregateError & { code: string }>
  const text = message || errors.map((each) => complaintOf(each)).join(', ') || code || String(error)
  return secrets
    .filter((secret) => secret !== '')
    .reduce((said, secret) => said.replaceAll(secret, '***'), text)
    .replaceAll(/\s+/g, ' ')
}

/** Without the original error as cause, because that may contain the URL. */
export function failureOf(what: string, error: unknown, secrets: readonly string[]): Error {
  return new Error(`${what}: ${complaintOf(error, secrets)}`)
}

/** Decodes a part of a URL, or returns it unchanged if it cannot be decoded. */
export function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
