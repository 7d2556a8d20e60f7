/** What registers of servers share: a bound for an answer, what may be said of an error, and how a URL is read. */

/** Rejects if the answer takes too long. The question may still have been heard. */
export async function inTime<Answer>(asked: Promise<Answer>, patience: number): Promise<Answer> {
  let dismiss = () => {}
  const tooLate = new Promise<never>((_, reject) => {
    dismiss = later(patience, () => reject(new Error(`no answer within ${Math.round(patience)} ms`)))
  })
  try {
    return await Promise.race([asked, tooLate])
  } finally {
    dismiss()
  }
}

/**
 * After so many milliseconds, and not before what has come meanwhile was read: Node runs timers first, so that a program that was
 * busy for longer would take an answer that is there for none. Returns what dismisses it.
 */
export function later(ms: number, act: () => void): () => void {
  let isDismissed = false
  const timer = setTimeout(() => setImmediate(() => isDismissed || act()), ms)
  return () => {
    isDismissed = true
    clearTimeout(timer)
  }
}

/** Asks again until there is an answer or the deadline has passed. Only for what may be asked twice. */
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

/** One line, without what is secret. Node puts several failed addresses into one error without a text. */
export function complaintOf(error: unknown, secrets: readonly string[] = []): string {
  const { message = '', code = '', errors = [] } = error as Partial<AggregateError & { code: string }>
  const text = message || errors.map((each) => complaintOf(each)).join(', ') || code || String(error)
  return secrets
    .filter((secret) => secret !== '')
    .reduce((said, secret) => said.replaceAll(secret, '***'), text)
    .replaceAll(/\s+/g, ' ')
}

/** Without the error that it comes from, which may have the URL in it. */
export function failureOf(what: string, error: unknown, secrets: readonly string[]): Error {
  return new Error(`${what}: ${complaintOf(error, secrets)}`)
}

/** A part of a URL as it was meant, or as it is where it cannot be decoded. */
export function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
