/** How the nodes of a run prove who they are: nothing, a shared secret, or certificates made for this run. */
import { randomBytes } from 'node:crypto'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { makeAuthority, makeCertificate } from '../../packages/cli/src/keys/authority.ts'
import type { Credentials } from './torture-messages.ts'

export const SECURITIES = ['none', 'secret', 'tls'] as const
export type SecurityKind = (typeof SECURITIES)[number]

export function drawSecurity(seed: number): SecurityKind {
  return get(SECURITIES, randomStream(seed, 'security').below(SECURITIES.length))
}

/** The name of a mesh that was given none. */
const MESH = 'mesh'
const DAY_MS = 86_400_000

export async function credentialsFor(
  kind: SecurityKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Credentials>> {
  if (kind === 'none') return new Map(ids.map((id) => [id, {}]))
  if (kind === 'secret') {
    const secret = randomBytes(32).toString('hex')
    return new Map(ids.map((id) => [id, { secret }]))
  }
  const span = { from: new Date(Date.now() - DAY_MS), until: new Date(Date.now() + 30 * DAY_MS) }
  const authority = await makeAuthority(MESH, span)
  const own = async (id: string): Promise<[string, Credentials]> => [
    id,
    { tls: { ca: authority.cert, ...(await makeCertificate(authority, MESH, id, span)) } },
  ]
  return new Map(await Promise.all(ids.map(own)))
}
