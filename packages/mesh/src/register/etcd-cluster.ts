/**
 * Whether the endpoints of a place are one etcd cluster. Two servers that are no cluster are two registers, and two members that
 * each reach another one could both hold a lock.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type EtcdAddress, EtcdCalls } from './etcd-calls.ts'
import { type Header, headerIn, type Keys, rangeRequest } from './etcd-messages.ts'
import { failureOf } from './server-answers.ts'

/** Milliseconds. How much later than the first endpoint another one may answer and still be looked at. */
const LATER = 500

interface Seen extends Header {
  readonly endpoint: string
}

/**
 * Rejects if no endpoint answers, or if two that answer are not of one cluster. `which`: keys that the user may read. `opening`:
 * milliseconds, a time limit of its own, because the server may be busy with many members that come at once.
 */
export async function requireServing(address: EtcdAddress, which: Keys, opening: number): Promise<void> {
  const all = address.endpoints.map((endpoint) => ({
    endpoint,
    calls: new EtcdCalls({ ...address, endpoints: [endpoint] }, opening),
  }))
  const look = async ({ endpoint, calls }: (typeof all)[number]): Promise<Seen> => {
    const header = headerIn(await calls.read('KV/Range', rangeRequest(which)))
    return { endpoint, ...(header ?? { cluster: 0n, revision: 0n }) }
  }
  try {
    const first = await someOf(all.map(look))
    requireOne(first)
    if (first.length < 2) return
    const latest = first.reduce((most, seen) => (seen.revision > most.revision ? seen : most))
    requireNewer(latest, await someOf(all.map(look)))
  } catch (error) {
    if (error instanceof InvalidInput) throw error
    throw failureOf('etcd does not answer', error, [address.password ?? ''])
  } finally {
    for (const { calls } of all) calls.close()
  }
}

/** What those say that answer soon, in the order in which they are named. Rejects if none answers. */
async function someOf(asked: readonly Promise<Seen>[]): Promise<readonly Seen[]> {
  const answers: (Seen | null)[] = asked.map(() => null)
  const each = asked.map(async (answer, i) => {
    answers[i] = await answer
  })
  const all = Promise.allSettled(each)
  try {
    await Promise.any(each)
  } catch (error) {
    throw (error as AggregateError).errors.at(-1)
  }
  const late = new AbortController()
  await Promise.race([all, pause(LATER, null, { signal: late.signal })])
  late.abort()
  return answers.filter((answer) => answer !== null)
}

function requireOne(seen: readonly Seen[]): void {
  const [first] = seen
  const other = seen.find(({ cluster }) => cluster !== first?.cluster)
  if (first !== undefined && other !== undefined) throw notOne(first.endpoint, other.endpoint)
}

/**
 * Servers that were set up alike have one cluster id, although they do not know each other. But a cluster that has answered with
 * a revision has no lower one in any later answer.
 */
function requireNewer(before: Seen, later: readonly Seen[]): void {
  const behind = later.find(({ revision }) => revision < before.revision)
  if (behind !== undefined) throw notOne(before.endpoint, behind.endpoint)
}

function notOne(one: string, other: string): InvalidInput {
  return new InvalidInput(
    `${one} and ${other} are not members of one etcd cluster: name the members of one cluster, and no others`,
  )
}
