/**
 * Prints a scenario whose commands are drawn at random:
 *
 *     npx tsx --conditions=turnwise-source scripts/random-scenario.ts NAME SEED STEPS [nodes=4] [acts=share,crash,…] [OPTION=VALUE…]
 *
 * Requests, releases, deliveries and steps are always drawn; `acts` adds others: both, crash, downgrade, drop, duplicate, link, overtake, priority,
 * remove, restart, share, time, update, withdraw. A paper's example shows what a rule is for. Such a run uses all rules together, and so notices a change that no example meets.
 */
import { catalogue } from '@turnwise/algorithms/catalogue'
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Random, randomStream } from '@turnwise/core/random'
import { playScenario, setupFrom } from '@turnwise/simulator/scenario'
import { type Envelope, Stage } from '@turnwise/simulator/stage'

interface Choice {
  /** How often it is drawn beside the others. */
  readonly weight: number
  readonly command: string
  act(): void
}

const [name = '', seed = '1', steps = '80', ...given] = process.argv.slice(2)
const settings = new Map(given.map((word) => word.split('=') as [string, string]))
const take = (setting: string, otherwise: string) => {
  const value = settings.get(setting) ?? otherwise
  settings.delete(setting)
  return value
}
const nodes = Number(take('nodes', '3'))
const acts = new Set(take('acts', '').split(','))
const algorithm = catalogue.find(({ facts }) => facts.name === name)
if (algorithm === undefined) throw new InvalidInput(`"${name}" is no algorithm`)
const { facts } = algorithm
const words = [`nodes=${nodes}`, ...[...settings].map(([key, value]) => `${key}=${value}`)]
const setup = setupFrom(algorithm, words)
const random = randomStream(Number(seed), 'scenario')
const stage = new Stage(algorithm, setup)
const everyone = Array.from({ length: nodes }, (_, node) => node)
/** Who takes whom for failed. */
const suspicions = new Set<string>()
const plain = { mode: 'exclusive', priority: 0 } as const

/** A channel that keeps order hands out its oldest message only; a scenario names the oldest of its type. */
function deliveries(): Envelope[] {
  const isFirst = (envelope: Envelope) =>
    stage.underWay.find(
      ({ from, to, message }) =>
        from === envelope.from &&
        to === envelope.to &&
        (facts.channels === 'fifo' || message.type === envelope.message.type),
    ) === envelope
  return stage.underWay.filter(isFirst)
}

/** A message that was sent last, and arrives before an older one of its type. */
function overtaking(oldest: Envelope): Choice[] {
  if (!acts.has('overtake') || facts.channels === 'fifo') return []
  const { from, to, message } = oldest
  const newest = stage.underWay.findLast(
    (other) => other.from === from && other.to === to && other.message.type === message.type,
  )
  if (newest === undefined || newest === oldest) return []
  const command = `deliver ${message.type} ${from}>${to} newest`
  return [{ weight: 8, command, act: () => stage.deliver(newest) }]
}

function ofMessages(): Choice[] {
  return deliveries().flatMap((envelope) => {
    const { from, to, message } = envelope
    const what = `${message.type} ${from}>${to}`
    const deliver = { weight: 8, command: `deliver ${what}`, act: () => stage.deliver(envelope) }
    const drop = { weight: 1, command: `drop ${what}`, act: () => stage.drop(envelope) }
    const duplicate = { weight: 1, command: `duplicate ${what}`, act: () => stage.duplicate(envelope) }
    return [
      deliver,
      ...overtaking(envelope),
      ...(acts.has('drop') ? [drop] : []),
      ...(acts.has('duplicate') ? [duplicate] : []),
    ]
  })
}

function ofNode(node: NodeId): Choice[] {
  const status = stage.statusOf(node)
  const choice = (weight: number, verb: string, act: () => void): Choice => ({
    weight,
    command: verb.includes('%') ? verb.replace('%', String(node)) : `${verb} ${node}`,
    act,
  })
  // One at a time: most algorithms survive no more.
  const mayCrash = acts.has('crash') && everyone.every((other) => stage.statusOf(other) !== 'crashed')
  const asks = [choice(6, 'request', () => stage.request(node))]
  if (acts.has('share'))
    asks.push(choice(6, 'request % shared', () => stage.request(node, { mode: 'shared', priority: 0 })))
  if (acts.has('priority'))
    asks.push(choice(6, 'request % priority 1', () => stage.request(node, { ...plain, priority: 1 })))
  if (acts.has('update'))
    asks.push(choice(6, 'request % update', () => stage.request(node, { mode: 'update', priority: 0 })))
  if (acts.has('both'))
    asks.push(choice(6, 'request % 0,1', () => stage.request(node, { ...plain, resources: [0, 1] })))
  if (status === 'idle')
    return [
      ...asks,
      ...(acts.has('remove') ? [choice(1, 'remove', () => stage.remove(node))] : []),
      ...(mayCrash ? [choice(1, 'crash', () => stage.crash(node))] : []),
    ]
  if (status === 'waiting')
    return [
      ...(acts.has('withdraw') ? [choice(3, 'withdraw', () => stage.withdraw(node))] : []),
      ...(mayCrash ? [choice(1, 'crash', () => stage.crash(node))] : []),
    ]
  if (status === 'inside')
    return [
      choice(10, 'release', () => stage.release(node)),
      ...(acts.has('update') ? [choice(6, 'upgrade', () => stage.upgrade(node))] : []),
      ...(acts.has('downgrade') ? [choice(4, 'downgrade', () => stage.downgrade(node))] : []),
      ...(mayCrash ? [choice(1, 'crash', () => stage.crash(node))] : []),
    ]
  if (status === 'absent') return [choice(3, 'add', () => stage.add(node, null))]
  return acts.has('restart')
    ? [
        choice(2, 'restart', () => stage.restart(node, true)),
        choice(2, 'restart % amnesia', () => stage.restart(node, false)),
      ]
    : []
}

function ofDetector(): Choice[] {
  return everyone.flatMap((node) =>
    everyone.flatMap((peer) => {
      const is = suspicions.has(`${node} ${peer}`)
      const isAway = stage.statusOf(peer) === 'crashed'
      if (node === peer || is === isAway || ['crashed', 'absent'].includes(stage.statusOf(node))) return []
      const act = () => {
        if (is) suspicions.delete(`${node} ${peer}`)
        else suspicions.add(`${node} ${peer}`)
        if (is) stage.restore(node, peer)
        else stage.suspect(node, peer)
      }
      return [{ weight: 6, command: `${is ? 'restore' : 'suspect'} ${node} ${peer}`, act }]
    }),
  )
}

function ofChannels(): Choice[] {
  if (!acts.has('link')) return []
  return everyone.flatMap((a) =>
    everyone
      .filter((b) => a < b)
      .flatMap((b) => [
        { weight: 1, command: `link ${a}-${b}`, act: () => stage.link(a, b) },
        { weight: 1, command: `unlink ${a}-${b}`, act: () => stage.unlink(a, b) },
      ]),
  )
}

function choices(): Choice[] {
  const running = acts.has('time') ? stage.agenda.running() : []
  const timers = running.map(({ node, timer }) => ({
    weight: 2,
    command: `timeout ${node} ${timer}`,
    act: () => stage.timeout(node, timer),
  }))
  const proceeding = everyone
    .filter((node) => stage.agenda.hasStep(node))
    .map((node) => ({ weight: 8, command: `proceed ${node}`, act: () => stage.proceed(node) }))
  return [
    ...ofMessages(),
    ...everyone.flatMap(ofNode),
    ...timers,
    ...proceeding,
    ...ofDetector(),
    ...ofChannels(),
  ]
}

function drawn(from: readonly Choice[], random: Random): Choice {
  let left = random.below(from.reduce((sum, { weight }) => sum + weight, 0))
  for (const choice of from) {
    if (left < choice.weight) return choice
    left -= choice.weight
  }
  return get(from, 0)
}

const commands: string[] = []
for (let step = 1; step <= Number(steps); step += 1) {
  const from = choices()
  if (from.length === 0) break
  const choice = drawn(from, random)
  try {
    choice.act()
    commands.push(choice.command)
  } catch (error) {
    // Not every algorithm can do everything at every moment.
    if (!(error instanceof InvalidInput)) throw error
  }
}
const looks = everyone.map((node) => `state ${node}`)
const text = [
  `# ${steps} steps drawn at random (scripts/random-scenario.ts ${process.argv.slice(2).join(' ')}): all rules at work together.`,
  `world ${words.join(' ')}`,
  ...commands,
  ...looks,
  'timers',
  '----',
  '',
].join('\n')
process.stdout.write(playScenario(text, algorithm))
