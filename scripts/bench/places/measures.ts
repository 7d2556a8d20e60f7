/** What is measured of a gathering, one after another. */
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import type { Helper } from '../program.ts'
import { now } from '../talk.ts'
import type { Engine } from './engine.ts'
import { type Gathering, sum } from './gathering.ts'
import type { Tally } from './talk.ts'

/** Seconds of processor time from now until it is asked, of all members and of the engine. */
export async function workOf(gathering: Gathering, engine: Engine | null) {
  const own = async () => sum(await gathering.tallies(), ({ cpu }) => cpu) / 1e6
  const worked = engine?.worked() ?? null
  const before = await own()
  return async () => ({
    own: (await own()) - before,
    engine: worked === null ? null : (engine?.worked() ?? 0) - worked,
  })
}

export interface Idle {
  /** In a lease, for each member. */
  readonly writes: number
  readonly reads: number
  /** In a lease, by all members together. */
  readonly lists: number
  readonly messages: number
  /** Of one core: the engine, and all members. */
  readonly engine: number | null
  readonly own: number
  /** Bytes of a node. */
  readonly memory: number
}

export async function idle(
  gathering: Gathering,
  engine: Engine,
  lease: number,
  seconds: number,
): Promise<Idle> {
  const { members } = gathering
  // What joining has begun is over by then.
  await pause(Math.max(3 * lease, 5000))
  const worked = engine.worked()
  const before = await gathering.tallies()
  await pause(1000 * seconds)
  const after = await gathering.tallies()
  const elapsed = (get(after, 0).at - get(before, 0).at) / 1000
  const leases = (elapsed * 1000) / lease
  const grown = (of: (tally: Tally) => number) => sum(after, of) - sum(before, of)
  return {
    writes: grown(({ writes }) => writes) / leases / members,
    reads: grown(({ reads }) => reads) / leases / members,
    lists: grown(({ lists }) => lists) / leases,
    messages: grown(({ messages }) => messages) / leases,
    engine: worked === null ? null : ((engine.worked() ?? 0) - worked) / elapsed,
    own: grown(({ cpu }) => cpu) / 1e6 / elapsed,
    memory: (sum(after, ({ rss }) => rss) - after.length * gathering.bare) / members,
  }
}

/** The longest pause of a lock that has nothing to do with it, in milliseconds. */
export interface Pauses {
  /** While nothing happens: what the machine does to it. */
  readonly nothing: number
  readonly joins: number
  readonly leaves: number
  readonly dies: number
}

export async function pauses(gathering: Gathering, times: number): Promise<Pauses> {
  const longest = { nothing: 0, joins: 0, leaves: 0, dies: 0 }
  const seen = async (what: keyof Pauses) => {
    longest[what] = Math.max(longest[what], await gathering.gap())
  }
  await gathering.take()
  for (let i = 0; i < times; i += 1) {
    await pause(1000)
    await seen('nothing')
    const leaver = await gathering.guest()
    await pause(200)
    await seen('joins')
    await leaver.ask({ do: 'part' })
    await gathering.see(gathering.members)
    await pause(200)
    await seen('leaves')
    await leaver.end()
    const victim = await gathering.guest()
    await pause(200)
    await seen('joins')
    await victim.end()
    await gathering.see(gathering.members)
    await pause(200)
    await seen('dies')
  }
  await gathering.rest()
  return longest
}

/** Milliseconds of processor time of all members, for one that joins and for one that leaves, beyond what they use while idle. */
export async function workOfChanges(
  gathering: Gathering,
  times: number,
): Promise<{ readonly joins: number; readonly leaves: number }> {
  const work = async (change: () => Promise<unknown>) => {
    const before = { work: await workOf(gathering, null), at: now() }
    await change()
    // Until the last message was handled, too.
    await pause(500)
    return { own: 1000 * (await before.work()).own, elapsed: now() - before.at }
  }
  const spent = { joins: 0, leaves: 0 }
  const nothing = await work(() => pause(5000))
  const beyond = ({ own, elapsed }: typeof nothing) =>
    (own - (nothing.own / nothing.elapsed) * elapsed) / times
  for (let i = 0; i < times; i += 1) {
    const guest = gathering.ready()
    spent.joins += beyond(await work(() => gathering.admit(guest)))
    const part = async () => {
      await guest.ask({ do: 'part' })
      await gathering.see(gathering.members)
    }
    spent.leaves += beyond(await work(part))
    await guest.end()
  }
  return spent
}

/** From kill -9 of the holder until the next is inside, in milliseconds, each. */
export async function takeovers(gathering: Gathering, times: number, lease: number): Promise<number[]> {
  const took: number[] = []
  const waiter = get(gathering.helpers, 0)
  for (let i = 0; i < times; i += 1) {
    const name = `kill/${i}`
    const holder = await gathering.guest()
    await holder.ask({ do: 'keep', name })
    const entered = waiter.ask<number>({ do: 'keep', name })
    // At another moment between two renewals each time: how much of the lease is left makes most of the difference.
    await pause(300 + (i / times) * (lease / 3))
    const killed = now()
    await holder.end()
    took.push((await gathering.within('the next waiter', entered)) - killed)
    await waiter.ask({ do: 'drop' })
    await gathering.see(gathering.members)
  }
  return took
}

export interface Massacre {
  /** Milliseconds until everybody has a view without them. */
  readonly over: number
  readonly pause: number
  readonly lost: number
}

/** So many are killed at once. */
export async function killMany(gathering: Gathering, count: number): Promise<Massacre> {
  const victims = await gathering.guest(count)
  await gathering.take()
  const before = sum(await gathering.tallies(), ({ lost }) => lost)
  await gathering.gap()
  const killed = now()
  await victims.end()
  const over = (await gathering.see(gathering.members)) - killed
  await pause(200)
  const longest = await gathering.gap()
  await gathering.rest()
  return { over, pause: longest, lost: sum(await gathering.tallies(), ({ lost }) => lost) - before }
}

export interface Churn {
  readonly changes: number
  readonly pause: number
  readonly grants: number
  readonly lost: number
  readonly rejoined: number
}

/** One member comes and one goes, a second, while all take turns at many names. */
export async function churn(gathering: Gathering, names: number, seconds: number): Promise<Churn> {
  const { helpers, members } = gathering
  const guest = await gathering.guest()
  const perProcess = Math.ceil(members / helpers.length)
  for (const [i, helper] of helpers.entries())
    await helper.ask({ do: 'busy', names, nodes: members, first: i * perProcess })
  await gathering.take()
  const before = await gathering.tallies()
  await gathering.gap()
  const changes = await comeAndGo(gathering, guest, seconds)
  const after = await gathering.tallies()
  const longest = await gathering.gap()
  await gathering.rest()
  await guest.end()
  await gathering.see(members)
  const grown = (of: (tally: Tally) => number) => sum(after, of) - sum(before, of)
  return {
    changes,
    pause: longest,
    grants: grown(({ grants }) => grants) / seconds,
    lost: grown(({ lost }) => lost),
    rejoined: grown(({ rejoined }) => rejoined),
  }
}

async function comeAndGo(gathering: Gathering, guest: Helper, seconds: number): Promise<number> {
  const until = now() + 1000 * seconds
  let changes = 0
  while (now() < until) {
    const next = now() + 1000
    await gathering.within('one more', gathering.enter(guest, 1))
    await guest.ask({ do: 'part' })
    changes += 2
    await pause(Math.max(0, next - now()))
  }
  return changes
}

/** Bytes of a name that is held, at the node that holds it. */
export async function bytesOfName(gathering: Gathering, names: number): Promise<number> {
  const holder = get(gathering.helpers, 1)
  const bytes = await gathering.within(`${names} names`, holder.ask<number>({ do: 'keep-many', names }))
  await holder.ask({ do: 'drop' })
  return bytes / names
}
