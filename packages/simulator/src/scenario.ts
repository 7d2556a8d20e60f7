import {
  type AnyProtocol,
  type Ask,
  isElection,
  type LinePlace,
  type NodeId,
  type WholeLine,
} from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { quorumsFrom, quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import { randomStream } from '@turnwise/core/random'
import { resourcesFrom } from '@turnwise/core/resources'
import { arrange, defaultTogether, type Setup, type Wishes } from '@turnwise/core/setup'
import { structureFromText } from '@turnwise/core/structure/structure-from-text'
import { graph, topologyFrom } from '@turnwise/core/topology'
import { type Happening, happenings } from '@turnwise/core/trace/happening'
import { causeText, effectText, messageLabel, reasonsOf, type Wording } from '@turnwise/core/trace/sentence'
import { TRACE_VERSION } from '@turnwise/core/trace/trace'
import { type Envelope, Stage } from './stage.ts'

/**
 * Scenarios: a paper's example as text, commands and their outcome.
 *
 *     world nodes=3
 *     request 2
 *     deliver request 2>0
 *     ----
 *     2 asks; sends request 1 to 0; sends request 1 to 1
 *     0 receives request 1 from 2; sends reply to 2
 *
 * A block is commands, a line of dashes and the outcome, and ends with an empty line; `#` starts a comment.
 * `playScenario` writes the outcomes anew, so a test compares the text with itself, and a change of behaviour
 * is reviewed as a change of text.
 *
 *     world nodes=N [topology=T | edges=0-1,1-2] [quorum=Q | quorums=0.1/1.2/…] [structure=S] [k=K] [home=N]
 *           [resources=R] [inside=N | readers=0.2 [updating=2]] [zoneOfNode=0.0.1] [dead=5.6] [absent=2,3] [NAME=VALUE]
 *     elect N | request N [shared | update | 0,2] [priority P] | release N | downgrade N | upgrade N | withdraw N | timeout N TIMER | proceed N
 *     suspect N PEER | restore N PEER
 *     deliver TYPE A>B [newest] | drop TYPE A>B [newest] | duplicate TYPE A>B [newest] | deliver all | crash N | restart N [amnesia]
 *     add N [via SPONSOR] | remove N | link A-B | unlink A-B
 *     state N | line N | under way | timers | messages | why
 *
 * Of several such messages on a channel the oldest is meant, or with `newest` the one that was sent last and overtakes the others.
 * `why` tells the reasons for the last event. `line` tells in which order the places that node N knows are served. A stage knows no lengths of time, but `timers` tells for how long each was started, and in which step.
 */
export function playScenario(text: string, algorithm: AnyProtocol): string {
  const player = new Player(algorithm)
  const output: string[] = []
  let inOutcome = false
  text.split('\n').forEach((line, index) => {
    if (inOutcome) {
      if (line !== '') return
      inOutcome = false
    }
    output.push(line)
    if (line === '----') {
      inOutcome = true
      output.push(...player.outcome())
    } else if (line !== '' && !line.startsWith('#')) play(player, line, index + 1)
  })
  return output.join('\n')
}

function play(player: Player, line: string, number: number): void {
  try {
    player.play(line.trim().split(/\s+/))
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new InvalidInput(`line ${number}: ${error.message}`, { cause: error })
    throw error
  }
}

const DETAILED: Wording = { node: String, message: messageLabel }

class Player {
  readonly #algorithm: AnyProtocol
  #stage: Stage | null = null
  #nodes = 0
  #told = 0
  #answers: string[] = []
  /** The last event, and what its handler did. */
  #last: Happening | null = null

  constructor(algorithm: AnyProtocol) {
    this.#algorithm = algorithm
  }

  play([verb = '', ...words]: string[]): void {
    if (verb === 'world') return this.#world(words)
    const stage = this.#onStage()
    switch (verb) {
      case 'request':
        return stage.request(this.#node(words[0]), askFrom(words.slice(1)))
      case 'elect':
        return stage.elect(this.#node(words[0]))
      case 'release':
        return stage.release(this.#node(words[0]))
      case 'downgrade':
        return stage.downgrade(this.#node(words[0]))
      case 'upgrade':
        return stage.upgrade(this.#node(words[0]))
      case 'withdraw':
        return stage.withdraw(this.#node(words[0]))
      case 'timeout':
        return stage.timeout(this.#node(words[0]), get(words, 1))
      case 'proceed':
        return stage.proceed(this.#node(words[0]))
      case 'suspect':
        return stage.suspect(this.#node(words[0]), this.#node(words[1]))
      case 'restore':
        return stage.restore(this.#node(words[0]), this.#node(words[1]))
      case 'add':
        return stage.add(this.#node(words[0]), words[1] === 'via' ? this.#node(words[2]) : null)
      case 'remove':
        return stage.remove(this.#node(words[0]))
      case 'link':
        return stage.link(...this.#channel(words[0]))
      case 'unlink':
        return stage.unlink(...this.#channel(words[0]))
      case 'crash':
        return stage.crash(this.#node(words[0]))
      case 'restart':
        return stage.restart(this.#node(words[0]), words[1] !== 'amnesia')
      case 'deliver':
        if (words[0] === 'all') return stage.deliverAll()
        return stage.deliver(this.#underWay(words))
      case 'drop':
        return stage.drop(this.#underWay(words))
      case 'duplicate':
        return stage.duplicate(this.#underWay(words))
      default:
        return this.#look(stage, verb, words)
    }
  }

  #look(stage: Stage, verb: string, words: string[]): void {
    this.#tellEvents()
    switch (verb) {
      case 'state':
        this.#answers.push(JSON.stringify(stage.states[this.#node(words[0])]))
        return
      case 'line':
        this.#answers.push(lineAt(this.#algorithm, stage, this.#node(words[0])))
        return
      case 'under':
        this.#answers.push(
          ...stage.underWay.map(({ from, to, message }) => `${messageLabel(message)} ${from}>${to}`),
        )
        return
      case 'timers':
        this.#answers.push(
          ...stage.agenda
            .running()
            .map(({ node, timer, delay, since }) => `${node} ${timer}: ${delay} since step ${since}`),
        )
        return
      case 'why':
        if (this.#last !== null) this.#answers.push(...reasonsOf(this.#last))
        return
      case 'messages': {
        const { cost } = stage.jury
        const types = [...cost.sentByType].map(([type, count]) => `${count} ${type}`)
        this.#answers.push(`${cost.messages} messages: ${types.join(', ')}`)
        return
      }
      default:
        throw new InvalidInput(`"${verb}" is not a command of a scenario`)
    }
  }

  /** What has happened since it was last asked. */
  outcome(): string[] {
    this.#tellEvents()
    const answers = this.#answers
    this.#answers = []
    return answers
  }

  #tellEvents(): void {
    const events = this.#stage?.events ?? []
    const header = {
      format: 'turnwise-trace',
      version: TRACE_VERSION,
      algorithm: this.#algorithm.facts.name,
      nodes: this.#nodes,
      seed: 0,
      entries: 1,
      settings: {},
    } as const
    const all = [...happenings({ header, events })].map((happening) => {
      this.#last = happening
      const clauses = [causeText(happening, DETAILED)]
      for (const effect of happening.consequences) clauses.push(effectText(effect, happening, DETAILED))
      return `${happening.node === null ? '' : `${happening.node} `}${clauses.join('; ')}`
    })
    this.#answers.push(...all.slice(this.#told))
    this.#told = all.length
  }

  #world(words: string[]): void {
    const setup = setupFrom(this.#algorithm, words)
    this.#nodes = setup.nodes
    this.#stage = new Stage(this.#algorithm, setup)
    this.#told = 0
  }

  #onStage(): Stage {
    if (this.#stage === null) throw new InvalidInput('a scenario begins with "world nodes=N"')
    return this.#stage
  }

  #node(text: string | undefined): NodeId {
    return nodeFrom(text ?? '', this.#nodes)
  }

  #channel(text: string | undefined): [NodeId, NodeId] {
    const [, a, b] = /^(\d+)-(\d+)$/.exec(text ?? '') ?? []
    if (a === undefined || a === b) throw invalid(text ?? '', 'a channel: A-B, two different nodes')
    return [this.#node(a), this.#node(b)]
  }

  #underWay([type, channel, which]: string[]): Envelope {
    if (which !== undefined && which !== 'newest') throw invalid(which, 'newest, or nothing for the oldest')
    const isMeant = ({ from, to, message }: Envelope) => message.type === type && `${from}>${to}` === channel
    const { underWay } = this.#onStage()
    const found = which === 'newest' ? underWay.findLast(isMeant) : underWay.find(isMeant)
    if (found === undefined) throw new InvalidInput(`no ${type} is under way on ${channel}`)
    return found
  }
}

/** The places that a node knows, in the order in which they are served. The next writer is the next owner, and chooses after itself. */
function lineAt(algorithm: AnyProtocol, { states, setup }: Stage, node: NodeId): string {
  const line = isElection(algorithm) ? undefined : algorithm.line
  if (line === undefined) throw new InvalidInput(`${algorithm.facts.name} knows no line`)
  const { isHead, places, turns } = line.at(get(states, node), node, setup)
  const whole: WholeLine = { queue: [...places], turns }
  const order: string[] = []
  let owner = node
  while (whole.queue.length > 0) {
    const next: LinePlace = line.take?.(whole, owner, setup) ?? get(whole.queue.splice(0, 1), 0)
    if (next.mode !== 'shared') owner = next.node
    order.push(`${next.node} ${next.mode}`)
  }
  return `${isHead ? 'in line' : 'absorbed'} at ${node}: ${order.length > 0 ? order.join(', ') : 'nobody'}`
}

/** The setup that the words after `world` describe. */
export function setupFrom({ facts, options }: AnyProtocol, words: readonly string[]): Setup {
  const settings = new Map(words.map((word) => word.split('=') as [string, string]))
  const nodes = wholeNumber(settings.get('nodes') ?? '', 'a number of nodes', 1)
  const k = settings.get('k')
  const entries = k === undefined ? defaultTogether(facts, nodes) : wholeNumber(k, 'a number', 1)
  let wishes: Partial<Wishes<object>> = {}
  const rest: string[] = []
  for (const [name, text] of settings) {
    const read = SETTINGS.get(name)
    if (read !== undefined) wishes = { ...wishes, ...read(text, nodes, entries) }
    else if (name !== 'nodes' && name !== 'k') rest.push(`${name}=${text}`)
  }
  return arrange(facts, { nodes, entries, ...wishes, options: readOptions(options, rest, facts.name) }).setup
}

/** How a setting of a world is read; the other settings are options of the algorithm. */
type ReadSetting = (text: string, nodes: number, entries: number) => Partial<Wishes<object>>

const SETTINGS: ReadonlyMap<string, ReadSetting> = new Map<string, ReadSetting>([
  ['topology', (text, nodes) => ({ topology: topologyFrom(text, nodes, randomStream(1, 'topology')) })],
  ['edges', (text, nodes) => ({ topology: graph(nodes, text.split(',').map(pair)) })],
  ['quorum', (text, nodes, entries) => ({ quorums: quorumsFrom(text, nodes, entries) })],
  ['quorums', (text) => ({ quorums: quorumsFromLists(text.split('/').map(numbers)) })],
  ['structure', (text, nodes) => ({ structure: structureFromText(text, nodes) })],
  ['resources', (text) => ({ resources: wholeNumber(text, 'a number', 1) })],
  ['inside', (text, nodes) => ({ inside: [nodeFrom(text, nodes)] })],
  ['readers', (text) => ({ inside: numbers(text), insideMode: 'shared' })],
  ['updating', (text, nodes) => ({ updating: nodeFrom(text, nodes) })],
  ['zoneOfNode', (text) => ({ zoneOfNode: numbers(text) })],
  ['home', (text, nodes) => ({ home: nodeFrom(text, nodes) })],
  ['dead', (text) => ({ dead: numbers(text) })],
  ['absent', (text, nodes) => ({ absent: text.split(',').map((node) => nodeFrom(node, nodes)) })],
])

/** How the node asks, or which resources it asks for. */
function askFrom(words: readonly string[]): Ask {
  if (words.at(-2) === 'priority')
    return { ...askFrom(words.slice(0, -2)), priority: wholeNumber(words.at(-1) ?? '', 'a priority', 0) }
  const [word] = words
  if (word === 'shared' || word === 'update') return { mode: word, priority: 0 }
  return { mode: 'exclusive', priority: 0, ...(word === undefined ? {} : { resources: resourcesFrom(word) }) }
}

function pair(text: string): [NodeId, NodeId] {
  const [a = 0, b = 0] = text.split('-').map(Number)
  return [a, b]
}

function numbers(text: string): NodeId[] {
  return text.split('.').map(Number)
}

function nodeFrom(text: string, nodes: number): NodeId {
  return wholeNumber(text, 'a node', 0, nodes - 1)
}
