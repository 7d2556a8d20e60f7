/** What `turnwise up` knows of its nodes: from their reports, and from what it did to them. */
import type { PlaceStatus } from '@turnwise/mesh/observe/mesh-status'
import type { NameRow, NodeRow, NodeState, Snapshot } from './snapshot.ts'
import { type Condition, type Deed, SAID } from './up-deeds.ts'
import type { Beat, Word } from './up-messages.ts'

export interface Happening {
  readonly at: number
  readonly kind: 'fault' | 'repair' | 'view' | 'moves' | 'lost' | 'trouble'
  readonly text: string
}

interface Member {
  readonly id: string
  runs: Condition['runs']
  isCut: boolean
  beat: Beat | null
  /** As far as was told; the others wait for it also when the node is dead. */
  leaseUntil: number
  /** Sent by earlier processes of this node. */
  sentBefore: number
  turns: number
  /** When it entered, as far back as `turns/s` looks. */
  recent: number[]
  /** The last waits, in milliseconds. */
  waits: number[]
  readonly asks: Map<string, number>
  /** What was last done to it that may cost it its locks, and when. */
  struck: { readonly at: number; readonly how: string } | null
}

interface Name {
  readonly name: string
  holder: { readonly id: string; readonly since: number } | null
  /** Who entered last. */
  last: string | null
  fence: string | null
  turns: number
  /** Whose hold ended by a fault, until somebody else is inside. */
  orphanOf: string | null
}

const RATE_MS = 5000
const WAITS = 500

const STRIKES: Partial<Record<Deed, string>> = { kill: 'was killed', pause: 'was paused', cut: 'was cut off' }

export class Picture {
  readonly #members: ReadonlyMap<string, Member>
  readonly #names: ReadonlyMap<string, Name>
  readonly #happened: (happening: Happening) => void
  #view: { readonly epoch: number; readonly members: readonly string[] } | null = null
  #views = 0
  #handOffs = 0
  #began = 0
  /** Who has been in a view: at a meeting place they come one after another. */
  readonly #seen = new Set<string>()

  constructor(ids: readonly string[], names: readonly string[], happened: (happening: Happening) => void) {
    this.#members = new Map(ids.map((id) => [id, newMember(id)]))
    this.#names = new Map(
      names.map((name) => [name, { name, holder: null, last: null, fence: null, turns: 0, orphanOf: null }]),
    )
    this.#happened = happened
  }

  get views(): number {
    return this.#views
  }

  condition(id: string): Condition {
    const { runs, isCut } = this.#member(id)
    return { runs, isCut }
  }

  /** Those to whom nothing is being done. */
  get healthy(): string[] {
    return [...this.#members.values()]
      .filter(({ runs, isCut }) => !isCut && (runs === 'running' || runs === 'starting'))
      .map(({ id }) => id)
  }

  /** Those whose process has ended, and that were not started again. */
  get dead(): string[] {
    return [...this.#members.values()].filter(({ runs }) => runs === 'dead').map(({ id }) => id)
  }

  get everyoneIsIn(): boolean {
    const members = this.#view?.members ?? []
    return [...this.#members.keys()].every((id) => members.includes(id))
  }

  /** What the members find of their meeting place: what one says that has had no answer for longest. */
  get silence(): Pick<PlaceStatus, 'silentFor' | 'why'> {
    const told = [...this.#members.values()].flatMap(({ runs, beat }) =>
      runs === 'running' && beat?.place ? [beat.place] : [],
    )
    const [longest] = told.toSorted((a, b) => (b.silentFor ?? -1) - (a.silentFor ?? -1))
    return { silentFor: longest?.silentFor ?? null, why: longest?.why ?? null }
  }

  does(id: string, deed: Deed, at: number, said = SAID[deed]): void {
    const member = this.#member(id)
    const held = [...this.#names.values()].filter(({ holder }) => holder?.id === id).map(({ name }) => name)
    const strike = STRIKES[deed]
    if (strike !== undefined) member.struck = { at, how: strike }
    if (deed === 'kill') this.#ends(member)
    if (deed === 'restart') member.runs = 'starting'
    if (deed === 'pause') member.runs = 'paused'
    if (deed === 'continue') member.runs = member.beat === null ? 'starting' : 'running'
    if (deed === 'cut' || deed === 'heal') member.isCut = deed === 'cut'
    const whileInside = strike !== undefined && held.length > 0 ? ` while it holds ${listed(held)}` : ''
    this.#happened({
      at,
      kind: strike === undefined ? 'repair' : 'fault',
      text: `${id} ${said}${whileInside}`,
    })
  }

  /** Its process ended, and nobody killed it. */
  broke(id: string, at: number, why: string): void {
    const member = this.#member(id)
    member.struck = { at, how: 'ended' }
    this.#ends(member)
    this.#happened({ at, kind: 'trouble', text: `${id} ended by itself: ${why}` })
  }

  #ends(member: Member): void {
    member.runs = 'dead'
    member.sentBefore += member.beat?.sent ?? 0
    member.beat = null
    member.asks.clear()
  }

  hears(id: string, word: Word): void {
    const member = this.#member(id)
    // What it wrote before it was killed may arrive after it; of that only its turns still matter.
    if (member.runs === 'dead' && (word.is === 'beats' || word.is === 'asks' || word.is === 'joined')) return
    switch (word.is) {
      case 'joined':
        member.runs = member.runs === 'starting' ? 'running' : member.runs
        return
      case 'asks':
        return void member.asks.set(word.name, word.at)
      case 'enters':
        return this.#enters(member, word)
      case 'leaves':
        return this.#leaves(member, word.name)
      case 'loses': {
        member.asks.delete(word.name)
        const lock = this.#name(word.name)
        if (lock.holder?.id === id) lock.orphanOf = id
        this.#leaves(member, word.name)
        return this.#happened({
          at: word.at,
          kind: 'lost',
          text: `${id} has lost ${word.name}: its lease ended`,
        })
      }
      case 'beats':
        member.beat = word
        member.leaseUntil = word.at + word.leaseLeft
        if (word.epoch !== null && word.epoch > (this.#view?.epoch ?? 0)) this.#begins(word, word.epoch)
    }
  }

  #enters(member: Member, { name, at, fence, waitedMs }: Extract<Word, { is: 'enters' }>): void {
    member.asks.delete(name)
    member.turns += 1
    member.recent.push(at)
    member.waits.push(waitedMs)
    if (member.waits.length > WAITS) member.waits.shift()
    const lock = this.#name(name)
    lock.turns += 1
    // Reports of two processes may arrive in another order than they were written.
    if (lock.holder !== null && lock.holder.since > at) return
    this.#movesOn(lock, member.id, at)
    if (lock.last !== null && lock.last !== member.id) this.#handOffs += 1
    lock.last = member.id
    lock.holder = { id: member.id, since: at }
    lock.fence = fence
  }

  /** Says so if the lock comes from one who did not give it back. */
  #movesOn(lock: Name, to: string, at: number): void {
    const fromId = lock.orphanOf ?? lock.holder?.id
    lock.orphanOf = null
    if (fromId === undefined || fromId === to) return
    const { struck } = this.#member(fromId)
    if (struck === null || struck.at > at || (lock.holder?.since ?? 0) > struck.at) return
    const seconds = ((at - struck.at) / 1000).toFixed(1)
    this.#happened({
      at,
      kind: 'moves',
      text: `${lock.name} moves on to ${to}, ${seconds} s after ${fromId} ${struck.how}`,
    })
  }

  #leaves(member: Member, name: string): void {
    const lock = this.#name(name)
    if (lock.holder?.id === member.id) lock.holder = null
  }

  #begins({ at, members }: Beat, epoch: number): void {
    const before = this.#view?.members ?? []
    if (this.#view === null) this.#began = at
    this.#view = { epoch, members }
    this.#views += 1
    const gone = before.filter((id) => !members.includes(id))
    const come = before.length === 0 ? [] : members.filter((id) => !before.includes(id))
    const back = come.filter((id) => this.#seen.has(id))
    const changes = [
      ...(gone.length === 0 ? [] : [`without ${listed(gone)}`]),
      ...(back.length === 0 ? [] : [`${listed(back)} ${back.length === 1 ? 'is' : 'are'} back`]),
    ]
    for (const id of members) this.#seen.add(id)
    const text = `view ${epoch}: ${members.join(' ')}${changes.map((change) => `, ${change}`).join('')}`
    this.#happened({ at, kind: 'view', text })
  }

  /** `zones`: the nodes of each, if they are told apart. */
  snapshot(now: number, zones: readonly (readonly string[])[] = []): Omit<Snapshot, 'place'> {
    const nodes = [...this.#members.values()].map((member) => this.#nodeRow(member, now))
    return {
      view: this.#view,
      names: [...this.#names.values()].map((lock) => this.#nameRow(lock, now)),
      nodes,
      zones: zones.map((ids, zone) => {
        const members = ids.map((id) => this.#member(id))
        const { turns, p50, p99 } = figuresOf(members, now, this.#began)
        return { zone, nodes: ids, turns, p50, p99 }
      }),
      handOffs: this.#handOffs,
      all: figuresOf([...this.#members.values()], now, this.#began),
    }
  }

  #nodeRow(member: Member, now: number): NodeRow {
    const held = [...this.#names.values()].filter(({ holder }) => holder?.id === member.id)
    return {
      id: member.id,
      state: this.#stateOf(member, now),
      leaseLeft: leaseLeft(member, now),
      holds: held.map(({ name }) => name),
      ...figuresOf([member], now, this.#began),
    }
  }

  #nameRow({ name, holder, fence, turns }: Name, now: number): NameRow {
    const waiters = [...this.#members.values()]
      .filter(({ asks }) => asks.has(name))
      .toSorted((a, b) => (a.asks.get(name) ?? 0) - (b.asks.get(name) ?? 0))
    return {
      name,
      holder: holder?.id ?? null,
      holderState: holder === null ? null : this.#stateOf(this.#member(holder.id), now),
      leaseLeft: holder === null ? 0 : leaseLeft(this.#member(holder.id), now),
      waiters: waiters.map(({ id }) => id),
      fence,
      turns,
    }
  }

  #stateOf(member: Member, now: number): NodeState {
    if (member.runs === 'dead') return 'killed'
    if (member.runs === 'paused') return 'paused'
    if (member.isCut) return 'cut off'
    if (member.runs === 'starting') return 'starting'
    const isIn = this.#view?.members.includes(member.id) && member.beat?.epoch === this.#view.epoch
    return isIn && leaseLeft(member, now) > 0 ? 'in view' : 'left out'
  }

  #member(id: string): Member {
    const found = this.#members.get(id)
    if (found === undefined) throw new RangeError(`no node ${id}`)
    return found
  }

  #name(name: string): Name {
    const found = this.#names.get(name)
    if (found === undefined) throw new RangeError(`no name ${name}`)
    return found
  }
}

function newMember(id: string): Member {
  return {
    id,
    runs: 'starting',
    isCut: false,
    beat: null,
    leaseUntil: 0,
    sentBefore: 0,
    turns: 0,
    recent: [],
    waits: [],
    asks: new Map(),
    struck: null,
  }
}

function leaseLeft({ leaseUntil }: Member, now: number): number {
  return Math.max(0, leaseUntil - now)
}

type Figures = Pick<NodeRow, 'turns' | 'turnsPerSecond' | 'sent' | 'messagesPerTurn' | 'p50' | 'p99'>

function figuresOf(members: readonly Member[], now: number, began: number): Figures {
  let turns = 0
  let sent = 0
  let recent = 0
  for (const member of members) {
    member.recent = member.recent.filter((at) => at > now - RATE_MS)
    turns += member.turns
    sent += member.sentBefore + (member.beat?.sent ?? 0)
    recent += member.recent.length
  }
  const waits = members.flatMap((member) => member.waits).toSorted((a, b) => a - b)
  const quantile = (share: number) => waits[Math.ceil(share * waits.length) - 1] ?? null
  return {
    turns,
    turnsPerSecond: (1000 * recent) / Math.max(1000, Math.min(RATE_MS, now - began)),
    sent,
    messagesPerTurn: turns === 0 ? null : sent / turns,
    p50: quantile(0.5),
    p99: quantile(0.99),
  }
}

function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
