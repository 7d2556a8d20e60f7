/** Certificates and tokens in the file of a node. What was given is not repeated in a complaint: it may be a key. */
import { createSecureContext } from 'node:tls'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Check } from '@turnwise/mesh/transport/checks'

export const pathOrPem: Check<string> = (value) =>
  typeof value === 'string' && value !== '' ? null : 'expected a path or a text in PEM form'

/** It may stand in an address. */
export const token: Check<string> = (value) =>
  typeof value === 'string' && /^[\w-]{16,255}$/.test(value)
    ? null
    : 'expected 16 to 255 letters, digits, - or _'

export function requireUsable({
  cert,
  key,
  ca = null,
}: {
  readonly cert: string
  readonly key: string
  readonly ca?: string | null
}): void {
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new InvalidInput('cert and key are not a certificate in PEM form and its key', { cause: error })
  }
  if (ca === null) return
  try {
    createSecureContext({ ca })
  } catch (error) {
    throw new InvalidInput('ca is not a certificate in PEM form', { cause: error })
  }
}
