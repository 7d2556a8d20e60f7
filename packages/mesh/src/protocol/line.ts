/**
 * Places in line, for people. Each member tells what its instance knows of the line. The node that asked joins these parts: the
 * line begins at one member, and the places of another member join its end when that member has its turn. Then it plays the turns
 * that follow if nobody else comes and nobody gives up. A node has one place in the line; when its turn is over, its next caller is
 * at the end. No rule reads the result.
 */
import type { LinePart, LinePlace, NodeId, WholeLine } from '@turnwise/core/algorithm'
import { TURNS } from './fence.ts'
import { lineIn } from './instances.ts'
import type { HoldStanding, NameStanding, Standing, ToldLine } from './messages.ts'
import type { Id } from './record.ts'
import type { LocalName, Node } from './state.ts'
import { type Worlds, worldsOf } from './view-worlds.ts'

/**
 * What this node knows of the line, if a caller of it waits or it keeps places of others. Only an instance that has run keeps
 * places, and finding the setup of a name is slow: most names of a long answer need neither. A copy, because states change.
 */
export function lineAt(node: Node, name: string, local: LocalName): { readonly line?: ToldLine } {
  const { begun, config } = node
  if (begun === null || local.seats.length > 1) return {}
  const isAwaited = local.waiting.length > 0
  const part = begun.members.length === 1 ? ALONE : partAt(node, name, local)
  if (part === undefined || (!isAwaited && part.places.length === 0)) return {}
  const places = part.places.map((place) => ({ ...place }))
  return { line: { ...part, places, follow: config.localTurns ?? 1 } }
}

/** The line of a single member has no other nodes in it. */
const ALONE: LinePart = { isHead: true, places: [], turns: 0 }

function partAt(node: Node, name: string, { waiting, seats }: LocalName): LinePart | undefined {
  const instance = seats[0]?.instance ?? null
  const known = instance === null ? undefined : lineIn(instance)
  if (known !== undefined || waiting.length === 0) return known
  const { algorithm, setup, ids } = worldsOf(node).of(name)
  const self = ids.indexOf(node.id)
  return algorithm.line?.at(instance?.state ?? algorithm.init(self, setup), self, setup)
}

interface Answer {
  readonly id: Id
  readonly names: readonly NameStanding[]
}

/** The answers of all members of a view, with `ahead` if its worlds are known. `stolen`: names that a thief is about to take. */
export function withPlaces(
  answers: readonly Answer[],
  worlds: Worlds | null,
  stolen: (name: string) => boolean,
): readonly Answer[] {
  const parts = new Map<string, Map<Id, Part>>()
  for (const { id, names } of answers) {
    for (const standing of names) if (standing.line !== undefined) addPart(parts, id, standing)
  }
  const places = new Map<Standing, number>()
  for (const [name, ofName] of parts) {
    if (worlds !== null && !stolen(name)) play(worlds, name, ofName, places)
  }
  return answers.map(({ id, names }) => ({ id, names: names.flatMap((each) => withPlace(each, places)) }))
}

function withPlace(standing: NameStanding, places: ReadonlyMap<Standing, number>): NameStanding | [] {
  const { name, held, pending, line, seats } = standing
  if (pending.length === 0)
    return line === undefined ? standing : held.length === 0 ? [] : { name, held, pending }
  const told = pending.map((waiting): Standing => {
    const { mode, age, about, resources } = waiting
    const ahead = places.get(waiting)
    return {
      mode,
      age,
      ...(about && { about }),
      ...(resources && { resources }),
      ...(ahead !== undefined && { ahead }),
    }
  })
  return { name, held, pending: told, ...(seats && { seats }) }
}

/** What a member told of one name. */
interface Part {
  readonly held: HoldStanding[]
  readonly pending: Standing[]
  line: ToldLine
  /** The first of them that has not had its turn. */
  next: number
}

/** A long answer comes in several parts. The first has the places. */
function addPart(
  parts: Map<string, Map<Id, Part>>,
  id: Id,
  { name, held, pending, line }: NameStanding,
): void {
  if (line === undefined) return
  const ofName = parts.get(name) ?? new Map<Id, Part>()
  parts.set(name, ofName)
  const known = ofName.get(id)
  if (known === undefined) ofName.set(id, { held: [...held], pending: [...pending], line, next: 0 })
  else {
    known.held.push(...held)
    known.pending.push(...pending)
    if (line.isHead || line.places.length > 0) known.line = line
  }
}

/** Plays the turns of one name, and notes how many are let in before each caller. */
function play(
  worlds: Worlds,
  name: string,
  parts: ReadonlyMap<Id, Part>,
  places: Map<Standing, number>,
): void {
  const { algorithm, setup, ids } = worlds.of(name)
  const nodes = ids.map((id) => parts.get(id))
  const heads = nodes.flatMap((part, node) => (part?.line.isHead === true ? [node] : []))
  const [first] = heads
  // The token is under way, or it moved while members answered.
  if (first === undefined || heads.length > 1) return
  let owner: NodeId = first
  const line: WholeLine = { queue: [], turns: nodes[owner]?.line.turns ?? 0 }
  const absorbed = nodes.map((part) => part?.line.places ?? [])
  const upgrades = upgradesIn(nodes, absorbed)
  const shares = algorithm.facts.sharedMode
  let count = 0
  const letIn = (part: Part, most: number) => {
    for (const caller of inOneTurn(part, most)) places.set(caller, count++)
  }
  const askAgain = (node: NodeId, { pending, next }: Part) => {
    const caller = pending[next]
    if (caller !== undefined) line.queue.push(placeFor(node, caller, shares))
  }
  const join = (node: NodeId) => {
    line.queue.push(...(absorbed[node] ?? []))
    absorbed[node] = []
  }
  join(owner)
  const inside = nodes.flatMap((part, node) => (part !== undefined && isInside(part) ? [{ node, part }] : []))
  // Which of several holders leaves first, and asks again, is not known. If it is urgent, it may then pass others.
  let isSure = inside.length <= 1
  const isLevel = nodes.every(
    (part) => part?.pending.every(({ priority }) => priority === undefined) !== false,
  )
  for (const { node, part } of isSure ? inside : []) {
    letIn(part, turnsLeft(part))
    askAgain(node, part)
  }
  while (line.queue.length > 0 && (isSure || isLevel)) {
    const { node, mode }: LinePlace =
      algorithm.line?.take?.(line, owner, setup) ?? (line.queue.shift() as LinePlace)
    if (mode !== 'shared') {
      owner = node
      join(node)
    }
    const part = nodes[node]
    if (part === undefined || upgrades.delete(node)) continue
    letIn(part, part.line.follow)
    if (mode === 'shared' && part.next < part.pending.length) isSure = false
    if (isSure) askAgain(node, part)
  }
}

/** A node that is inside has no other place in line than that of its upgrade. */
function upgradesIn(
  nodes: readonly (Part | undefined)[],
  places: readonly (readonly LinePlace[])[],
): Set<NodeId> {
  const waiting = places.flat().map(({ node }) => node)
  return new Set(waiting.filter((node) => (nodes[node]?.held.length ?? 0) > 0))
}

function isInside({ held, pending }: Part): boolean {
  return held.length > 0 && pending.length > 0
}

/** How many callers may still follow the one that is inside alone (R5). */
function turnsLeft({ held: [inside], line }: Part): number {
  if (inside?.mode !== 'exclusive') return 0
  return Math.max(0, Math.min(line.follow, TURNS) - 1 - (inside.fence.counter % TURNS))
}

/** Callers that follow each other when their node has its turn. Those that share come in together. */
function inOneTurn(part: Part, most: number): readonly Standing[] {
  const { pending, next: begin } = part
  const isAlone = pending[begin]?.mode === 'exclusive'
  let end = begin
  while (
    end < pending.length &&
    (end === begin ? most > 0 : follows(pending[end], isAlone, end - begin < most))
  )
    end += 1
  part.next = end
  return pending.slice(begin, end)
}

function follows(caller: Standing | undefined, isAlone: boolean, hasTurns: boolean): boolean {
  return isAlone ? hasTurns && caller?.mode === 'exclusive' : caller?.mode === 'shared'
}

function placeFor(node: NodeId, { mode, priority }: Standing, shares: boolean): LinePlace {
  const asked = mode === 'shared' && shares ? 'shared' : 'exclusive'
  return { node, mode: asked, ...(priority !== undefined && { level: priority }) }
}
