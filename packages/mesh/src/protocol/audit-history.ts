/**
 * Joins the audits of several nodes: all holds with their times, and all link messages with both ends. Two judges read them. The
 * first finds holds that exclude each other but overlap, and fences that do not rise. The second finds messages that were
 * received on a link but differ from what the other end sent.
 */
import { type Hold, judgeHolds } from '@turnwise/core/judges/hold-judge'
import { type AuditHead, digest, type Step } from './audit.ts'
import type { Effect, Event } from './events.ts'
import { fenceNumber } from './fence.ts'
import type { MessageOf } from './messages.ts'
import { permitsOf } from './names.ts'
import type { Id } from './record.ts'
import type { CallerId } from './state.ts'

/** One hold of one caller. Times are from the clock of its machine. */
export interface AuditedHold extends Hold {
  readonly key: string
  readonly id: Id
  readonly life: string
  readonly caller: CallerId
  readonly machine: string
  readonly fence: bigint
  until: number
  sharedFrom?: number
  /** Milliseconds since 1970, minus the times here. */
  readonly wall: number
  /** When the caller asked, or the time of the grant if the request is not in the audit. */
  readonly asked: number
  end: 'released' | 'lost' | 'replaced' | 'unknown'
}

export type AuditFinding =
  /** `isRepeated`: exclusive holders on different machines have the same fence. Their clocks cannot be compared. */
  | {
      readonly judge: 'exclusion' | 'fence'
      readonly holds: readonly AuditedHold[]
      readonly isRepeated?: true
    }
  /** A message that arrived differs from what was sent. `seq` is its number on the link of that view. */
  | { readonly judge: 'message'; readonly link: string; readonly seq: number }

/** What one end says about each link: the digest of every message, by its number. */
type Carried = Map<string, number[]>

export class AuditHistory {
  readonly holds: AuditedHold[] = []
  readonly #sent: Carried = new Map()
  readonly #received: Carried = new Map()

  /** For the steps of one file. Call `hear` for each step in order, and `end` after the last. */
  listen(head: AuditHead): AuditEar {
    return new AuditEar(head, this.holds, this.#sent, this.#received)
  }

  /** How many messages were compared: the audits of both ends have them. */
  get compared(): number {
    let count = 0
    for (const [link, got] of this.#received) {
      const gave = this.#sent.get(link)
      got.forEach((_, seq) => {
        if (gave?.[seq] !== undefined) count += 1
      })
    }
    return count
  }

  judge(): AuditFinding[] {
    const names = grouped(this.holds, ({ key }) => key)
    return [...[...names].flatMap(([key, holds]) => judgeName(key, holds)), ...this.#judgeLinks()]
  }

  #judgeLinks(): AuditFinding[] {
    const findings: AuditFinding[] = []
    for (const [link, got] of this.#received) {
      const gave = this.#sent.get(link) ?? []
      got.forEach((what, seq) => {
        if (gave[seq] !== undefined && gave[seq] !== what) findings.push({ judge: 'message', link, seq })
      })
    }
    return findings
  }
}

/** Clocks of different machines differ. Across machines the judge only looks for two exclusive holds with the same fence. */
function judgeName(key: string, holds: readonly AuditedHold[]): AuditFinding[] {
  const machines = [...grouped(holds, ({ machine }) => machine).values()]
  const found = machines.flatMap((each) => judgeHolds(each, permitsOf(key)))
  return machines.length === 1 ? found : [...found, ...repeatedFences(holds)]
}

function repeatedFences(holds: readonly AuditedHold[]): AuditFinding[] {
  const alone = holds.filter(({ mode }) => mode === 'exclusive')
  return [...grouped(alone, ({ fence }) => fence).values()]
    .filter((same) => new Set(same.map(({ machine }) => machine)).size > 1)
    .map((same) => ({ judge: 'fence', holds: same, isRepeated: true }))
}

function grouped<K, T>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const each of all) {
    const group = groups.get(keyOf(each))
    if (group === undefined) groups.set(keyOf(each), [each])
    else group.push(each)
  }
  return groups
}

/** Follows the audit of one node. */
class AuditEar {
  readonly #head: AuditHead
  readonly #holds: AuditedHold[]
  readonly #sent: Carried
  readonly #received: Carried
  readonly #open = new Map<string, AuditedHold>()
  readonly #asked = new Map<string, number>()
  #id: Id
  #wall: number

  constructor(head: AuditHead, holds: AuditedHold[], sent: Carried, received: Carried) {
    this.#head = head
    this.#holds = holds
    this.#sent = sent
    this.#received = received
    this.#id = head.id
    this.#wall = head.wall
  }

  hear({ now, event, effects, deadline, wall = this.#wall }: Step): void {
    this.#wall = wall
    // R6 comes before the event. A lapsed hold ended at the deadline, however late the node noticed.
    for (const effect of effects) {
      if (effect.kind === 'lost' && effect.why === 'lapsed')
        this.#end(effect, 'lost', Math.min(now, deadline))
    }
    this.#event(event, now)
    for (const effect of effects) this.#effect(effect, now)
  }

  #effect(effect: Effect, now: number): void {
    if (effect.kind === 'grant') this.#begin(effect, now)
    // A lock may be stolen from a caller that was let in during this event.
    else if (effect.kind === 'lost') this.#end(effect, 'lost', now)
    else if (effect.kind === 'upgraded') {
      this.#end(effect, 'replaced', now)
      this.#begin({ ...effect, mode: 'exclusive' }, now)
    } else if (effect.kind === 'send' && effect.message.type === 'link')
      carry(this.#sent, this.#id, effect.to, effect.message)
  }

  #event(event: Event, now: number): void {
    if (event.kind === 'receive' && event.message.type === 'link')
      carry(this.#received, event.from, this.#id, event.message)
    else if (event.kind === 'request') this.#asked.set(keyOf(event), now)
    else if (event.kind === 'cancel') this.#asked.delete(keyOf(event))
    else if (event.kind === 'release') this.#end(event, 'released', now)
    else if (event.kind === 'session') this.#id = event.session
    else if (event.kind === 'downgrade') {
      const hold = this.#open.get(keyOf(event))
      if (hold?.mode === 'exclusive') hold.sharedFrom ??= now
    }
  }

  #begin(
    of: Pick<Extract<Effect, { kind: 'grant' }>, 'name' | 'caller' | 'mode' | 'fence' | 'resources'>,
    now: number,
  ): void {
    const key = keyOf(of)
    const hold: AuditedHold = {
      key: of.name,
      id: this.#id,
      life: this.#head.life,
      caller: of.caller,
      machine: this.#head.machine,
      mode: of.mode,
      fence: fenceNumber(of.fence),
      ...(of.resources && { resources: of.resources }),
      from: now,
      until: Number.POSITIVE_INFINITY,
      wall: this.#wall,
      asked: this.#asked.get(key) ?? now,
      end: 'unknown',
    }
    this.#asked.delete(key)
    this.#open.set(key, hold)
    this.#holds.push(hold)
  }

  #end(of: { readonly name: string; readonly caller: CallerId }, end: AuditedHold['end'], now: number): void {
    const key = keyOf(of)
    const hold = this.#open.get(key)
    if (hold === undefined) return
    this.#open.delete(key)
    hold.until = Math.max(now, hold.from)
    hold.end = end
  }

  /** The audit of this node ends here. Its holds certainly lasted until its last line, or until its lease ended. */
  end(now: number, deadline: number): void {
    for (const hold of this.#open.values()) hold.until = Math.max(hold.from, Math.min(now, deadline))
  }
}

function keyOf({ name, caller }: { readonly name: string; readonly caller: CallerId }): string {
  return `${typeof caller} ${caller} ${name}`
}

function carry(ends: Carried, from: Id, to: Id, { epoch, seq, payload }: MessageOf<'link'>): void {
  const link = `${from} to ${to} in view ${epoch}`
  const places = ends.get(link) ?? []
  ends.set(link, places)
  // A repeated message is the same.
  places[seq] ??= digest(payload)
}
