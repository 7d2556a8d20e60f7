/**
 * What a node counts while it works, as plain fields that are read on demand. Every turn passes here, so each costs two
 * additions. Nothing is allocated, and no extra clock is read.
 */

import type { Loss } from '../protocol/events.ts'
import { kindOf, nameOf } from '../protocol/names.ts'
import { Histogram } from './histogram.ts'

/** Why a request ended without the lock. */
export const FAILURES = ['timeout', 'aborted', 'no-quorum', 'deadlock', 'unavailable', 'left'] as const
export type Failure = (typeof FAILURES)[number]

export const LOSSES: readonly Loss[] = ['lapsed', 'stolen']

/** The locks, semaphores or elections whose names begin alike. */
export class PrefixMeter {
  readonly kind: ReturnType<typeof kindOf>
  readonly prefix: string
  /** A turn is counted when its wait is known. */
  readonly wait = new Histogram()
  readonly hold = new Histogram()
  readonly failures: Record<Failure, number> = {
    timeout: 0,
    aborted: 0,
    'no-quorum': 0,
    deadlock: 0,
    unavailable: 0,
    left: 0,
  }
  readonly losses: Record<Loss, number> = { lapsed: 0, stolen: 0 }

  constructor(kind: ReturnType<typeof kindOf>, prefix: string) {
    this.kind = kind
    this.prefix = prefix
  }
}

/** How many prefixes are counted separately. Programs choose names, and there may be as many as there are orders. */
export const MOST_PREFIXES = 64
export const OTHER = 'other'

export class Meters {
  /** Time left of the lease at each renewal. */
  readonly leaseMargin = new Histogram()
  views = 0
  leaseLosses = 0
  clockJumps = 0
  peerRefusals = 0
  readonly #byPrefix = new Map<string, PrefixMeter>()
  readonly #others = new Map<string, PrefixMeter>()
  /** Cached, because a caller that requests a lock usually releases it next. */
  #lastKey: string | null = null
  #last: PrefixMeter | null = null

  of(key: string): PrefixMeter {
    if (key === this.#lastKey && this.#last !== null) return this.#last
    const meter = this.#find(key)
    this.#lastKey = key
    this.#last = meter
    return meter
  }

  #find(key: string): PrefixMeter {
    const sign = key.slice(0, key.indexOf('=') + 1)
    const beginning = key.slice(0, endOfPrefix(key, sign.length))
    const known = this.#byPrefix.get(beginning)
    if (known !== undefined) return known
    const kind = kindOf(key)
    if (this.#byPrefix.size < MOST_PREFIXES)
      return kept(this.#byPrefix, beginning, kind, prefixOf(nameOf(key)))
    return this.#others.get(kind) ?? kept(this.#others, kind, kind, OTHER)
  }

  get all(): readonly PrefixMeter[] {
    return [...this.#byPrefix.values(), ...this.#others.values()]
  }
}

function kept(
  meters: Map<string, PrefixMeter>,
  key: string,
  kind: ReturnType<typeof kindOf>,
  prefix: string,
): PrefixMeter {
  const meter = new PrefixMeter(kind, prefix)
  meters.set(key, meter)
  return meter
}

/** A name up to its first ':' or '/'. */
export function prefixOf(name: string): string {
  return name.slice(0, endOfPrefix(name, 0))
}

function endOfPrefix(text: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    const sign = text.charCodeAt(i)
    if (sign === COLON || sign === SLASH) return i
  }
  return text.length
}

const COLON = 0x3a
const SLASH = 0x2f
