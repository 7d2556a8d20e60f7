/** What the page shows of a run of `turnwise up`. */
import type { LiveView } from '@turnwise/lab/live/live-view'
import type { Happening } from '../cluster/picture.ts'
import type { Session } from '../cluster/session.ts'

const MOST_HAPPENINGS = 50
const ALL_DEEDS = ['kill', 'restart', 'pause', 'continue', 'cut', 'heal'] as const

export function viewOfSession(
  session: Pick<Session, 'options' | 'snapshot' | 'refusal'>,
  happenings: readonly Happening[],
  mayAct: boolean,
): LiveView {
  const { algorithm, leaseMs, distance } = session.options
  const { view, nodes, names, all, place } = session.snapshot()
  return {
    title: 'turnwise up',
    algorithm,
    lease: leaseMs,
    view,
    place: place && { name: place.name, silentFor: place.silentFor, why: place.why },
    nodes: nodes.map(({ id, state, leaseLeft, turns, turnsPerSecond }) => ({
      id,
      state,
      isIn: view?.members.includes(id) ?? false,
      zone: distance?.stating(id).zone ?? null,
      leaseLeft,
      deeds: mayAct ? ALL_DEEDS.filter((deed) => session.refusal(id, deed) === null) : [],
      turns,
      turnsPerSecond,
    })),
    locks: names.map(({ name, holder, waiters, fence, turns }) => ({
      name,
      holders: holder === null ? [] : [holder],
      waiters,
      waiting: waiters.length,
      notes: [],
      fence,
      turns,
    })),
    locksAge: 0,
    more: 0,
    circles: [],
    figuresOf: null,
    turnsPerSecond: all.turnsPerSecond,
    messagesPerSecond: all.messagesPerTurn === null ? null : all.messagesPerTurn * all.turnsPerSecond,
    happenings: happenings.slice(-MOST_HAPPENINGS).map(({ at, text, kind }) => ({
      text: `${(at / 1000).toFixed(1)} s  ${text}`,
      isTrouble: kind === 'trouble' || kind === 'lost',
    })),
    recorded: session.options.record === null ? [] : session.options.names,
  }
}

export function isDeed(text: string): text is (typeof ALL_DEEDS)[number] {
  return (ALL_DEEDS as readonly string[]).includes(text)
}
