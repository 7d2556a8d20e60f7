/**
 * Members that come and go, in virtual time: the protocol of a mesh at a meeting place, as it runs in processes, on a network
 * in which a message takes a given time.
 */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { know } from '@turnwise/algorithms/texts'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { Crowd, LEASE } from '../../packages/mesh/test/meeting/crowd.ts'

know(catalogue)

export { LEASE }

export interface ChurnPlan {
  readonly members: number
  /** A minute: so many come, and so many go. */
  readonly perMinute: number
  /** Whether every second one that goes is killed; else all leave in good order. */
  readonly kills: boolean
  /** Milliseconds that a message takes. */
  readonly delay: number
  /** Of virtual time. */
  readonly minutes: number
}

export interface Churned extends ChurnPlan {
  /** Views in an hour. */
  readonly views: number
  /** Members that lost their session, though nothing was done to them. */
  readonly ended: number
  /** Messages of a member in a minute. */
  readonly messages: number
  /** Milliseconds for which a member lets nobody in because a view changes: on average, and at most. */
  readonly pause: number
  readonly longestPause: number
  /** The share of the time for which a member is in such a pause. */
  readonly share: number
  /** Milliseconds from a kill to a view without that member, for so long its locks stand still: the mean and the longest. */
  readonly takeover: number
  readonly longestTakeover: number
}

export function churn(plan: ChurnPlan, told: (share: number) => void): Churned {
  const { members, perMinute, kills, delay, minutes } = plan
  const random = randomStream(1, `churn ${members} ${perMinute} ${delay}`)
  const crowd = new Crowd({ nodes: members, within: 0, delay })
  crowd.until(() => crowd.isWhole, 20 * LEASE)
  crowd.pass(2 * LEASE)
  crowd.forget()
  const present = Array.from({ length: members }, (_, index) => index)
  const waitedFor = new Map<string, number>()
  const takeovers: number[] = []
  const began = crowd.now
  const end = began + minutes * 60_000
  for (let change = 0; ; change += 1) {
    // Comings and goings are apart as events are that know nothing of each other.
    const gap = (-Math.log(1 - random.fraction()) * 60_000) / (2 * perMinute)
    if (crowd.now + gap >= end) break
    watch(crowd, crowd.now + gap, waitedFor, takeovers)
    if (change % 2 === 0) present.push(crowd.add())
    else {
      const index = get(present.splice(random.below(present.length), 1), 0)
      const id = crowd.nodes[index]?.id
      if (!kills || change % 4 === 1) crowd.leave(index)
      else {
        crowd.kill(index)
        if (id !== undefined) waitedFor.set(id, crowd.now)
      }
    }
    told((crowd.now - began) / (end - began))
  }
  watch(crowd, end, waitedFor, takeovers)
  const { counts, longestFreeze } = crowd
  return {
    ...plan,
    views: (60 * counts.views) / minutes,
    ended: counts.ended,
    messages: counts.messages / members / minutes,
    pause: counts.frozen / Math.max(1, counts.freezes),
    longestPause: longestFreeze,
    share: counts.frozen / members / (minutes * 60_000),
    takeover: takeovers.reduce((sum, each) => sum + each, 0) / Math.max(1, takeovers.length),
    longestTakeover: Math.max(0, ...takeovers),
  }
}

const LOOK = 20

/** Lets time pass until then, and looks when the newest view is one without those that were killed. */
function watch(crowd: Crowd, until: number, waitedFor: Map<string, number>, takeovers: number[]): void {
  while (crowd.now < until) {
    crowd.pass(waitedFor.size === 0 ? until - crowd.now : Math.min(LOOK, until - crowd.now))
    if (waitedFor.size === 0) continue
    const newest = crowd.living.reduce<(typeof crowd.living)[number]['begun']>(
      (best, { begun }) => (begun !== null && begun.epoch > (best?.epoch ?? -1) ? begun : best),
      null,
    )
    const members = new Set(newest?.members.map(({ id }) => id))
    for (const [id, since] of waitedFor) {
      if (members.has(id)) continue
      waitedFor.delete(id)
      takeovers.push(crowd.now - since)
    }
  }
}

/** One member comes to a mesh of so many: what a view costs. */
export interface ViewCost {
  readonly members: number
  readonly messages: number
  /** Of all messages, as JSON, and of the view as it is kept at the meeting place. */
  readonly bytes: number
  readonly record: number
  /** Milliseconds for which nobody is let in. */
  readonly pause: number
  /** Writes of a member in a lease, while nothing happens. */
  readonly writes: number
}

export function viewCost(members: number): ViewCost {
  const crowd = new Crowd({ nodes: members, within: 0, weighs: true })
  crowd.until(() => crowd.isWhole, 20 * LEASE)
  crowd.pass(2 * LEASE)
  crowd.forget()
  crowd.pass(10 * LEASE)
  const writes = crowd.counts.writes / members / 10
  crowd.forget()
  crowd.add()
  crowd.until(() => crowd.isWhole, LEASE)
  const { messages, bytes } = crowd.counts
  return { members, messages, bytes, record: crowd.largestCell, pause: crowd.longestFreeze, writes }
}
