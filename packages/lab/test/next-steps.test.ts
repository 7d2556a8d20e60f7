import { get } from '@turnwise/core/bounds'
import { sentence } from '@turnwise/core/trace/sentence'
import { expect, test } from 'vitest'
import { nextSteps } from '../src/run/next-steps.ts'
import { type Watched, watched } from './runs.ts'

function stepsAt(run: Watched, position: number) {
  return nextSteps(run.recording, run.at(position), run.world.config)
}

/** The cause of a step, as it is told. */
function sentenceAt({ happenings }: Watched['recording'], position: number): string {
  return get(sentence(get(happenings, position - 1)).split(';'), 0)
}

const labels = (offers: readonly { readonly label: string }[]) => offers.map(({ label }) => label)

test('every message can arrive next where channels keep no order', () => {
  const run = watched({ nodes: 3, load: 'script:0 request 0; 0.5 request 1' })
  const { deliveries, wishes, held, asItGoes } = stepsAt(run, 2)
  expect(labels(deliveries)).toEqual([
    'request from 0 arrives at 1',
    'request from 0 arrives at 2',
    'request from 1 arrives at 0',
    'request from 1 arrives at 2',
  ])
  expect(held).toBe(0)
  expect(labels(wishes)).toEqual([
    'Node 0: give up',
    'Node 1: give up',
    'Node 2: request',
    'Node 2: request to share',
  ])
  expect(asItGoes).toMatch(/^Node 1 receives request from 0/)
})

test('what is offered can be done, and then it is what happens next', () => {
  for (const [algorithm, channels] of [
    ['ricart-agrawala', undefined],
    ['lamport', undefined],
    ['suzuki-kasami', undefined],
    ['ricart-agrawala-medium', undefined],
  ] as const) {
    const settings = { algorithm, channels, nodes: 3, entries: 4 }
    const run = watched(settings)
    const { happenings, steps } = run.recording
    for (const position of [1, 3, 6, 9].filter((one) => one < happenings.length)) {
      const { deliveries, wishes } = stepsAt(run, position)
      expect(deliveries.length + wishes.length, `${algorithm} at ${position}`).toBeGreaterThan(0)
      for (const { acts, label } of [...deliveries, ...wishes]) {
        const hands = acts.map((act) => ({
          after: get(steps, position - 1),
          at: get(happenings, position - 1).at,
          act,
        }))
        expect(watched(settings, hands).played.refused, `${algorithm} at ${position}: ${label}`).toEqual([])
      }
    }
  }
})

test('on a channel that keeps order only the first message can arrive', () => {
  const run = watched({
    algorithm: 'lamport',
    nodes: 2,
    load: 'script:0 request 0; 0.2 request 1',
    latency: 'constant:5',
  })
  const crowded = [...run.recording.happenings.keys()].find((position) => stepsAt(run, position).held > 0)
  expect(crowded).toBeDefined()
  const { deliveries, held } = stepsAt(run, crowded ?? 0)
  expect(deliveries.length + held).toBe(run.at(crowded ?? 0).underWay.length)
})

test('at the end nothing comes by itself, and a caller can still ask', () => {
  const run = watched({ load: 'script:0 request 0' })
  const { asItGoes, deliveries, wishes } = stepsAt(run, run.recording.happenings.length)
  expect([asItGoes, deliveries]).toEqual([null, []])
  expect(labels(wishes)).toContain('Node 1: request')
})

test('timers that run and other steps of nodes can be chosen, with the time at which they are due', () => {
  const settings = { algorithm: 'bully', nodes: 4, load: 'one', fault: ['crash:3@0'] }
  const run = watched(settings)
  const { happenings, steps } = run.recording
  const timers = happenings.flatMap((_, i) => stepsAt(run, i + 1).own.map(({ label }) => label))
  expect(timers.some((label) => /^\d sees its timer \w+ run out \(due [\d.]+\)$/.test(label))).toBe(true)
  for (let position = 1; position < happenings.length; position += 1)
    for (const { acts, label } of stepsAt(run, position).own) {
      const hands = acts.map((act) => ({
        after: get(steps, position - 1),
        at: get(happenings, position - 1).at,
        act,
      }))
      const { played, recording } = watched(settings, hands)
      expect(played.refused, `at ${position}: ${label}`).toEqual([])
      // And then it is what happens next.
      expect(label).toContain(sentenceAt(recording, position + 1))
    }
})

test('a timer that was cancelled is not offered, nor one of a node that crashed', () => {
  const run = watched({ algorithm: 'bully', nodes: 4, load: 'one', fault: ['crash:3@0'] })
  expect(stepsAt(run, run.recording.happenings.length).own).toEqual([])
  const position = run.recording.happenings.findIndex((_, i) => stepsAt(run, i + 1).own.length > 0) + 1
  const { acts } = get(stepsAt(run, position).own, 0)
  const act = get(acts, 0)
  const node = 'node' in act ? act.node : 0
  const { steps, happenings } = run.recording
  const crash = {
    after: get(steps, position - 1),
    at: get(happenings, position - 1).at,
    act: { does: 'crash', node } as const,
  }
  const crashed = watched(run.spec, [crash])
  const left = stepsAt(crashed, position + 1).own.flatMap((offer) => offer.acts)
  expect(left.some((one) => 'node' in one && one.node === node)).toBe(false)
})

test('faults are offered in a run that has faults of their kind', () => {
  const calm = watched()
  expect(stepsAt(calm, 3).faults).toEqual([])
  const run = watched({ fault: ['crash:2@50'] })
  expect(labels(stepsAt(run, 3).faults)).toEqual(['Node 0: crash', 'Node 1: crash', 'Node 2: crash'])
  const lossy = watched({ fault: ['drop:0.01'] })
  expect(labels(stepsAt(lossy, 1).faults)).toEqual(['request 0 → 1: drop', 'request 0 → 2: drop'])
})

test('every fault that is offered can be done, also to what the schedule began', () => {
  const settings = {
    algorithm: 'raymond',
    nodes: 4,
    latency: 'constant:2',
    fault: ['duplicate:0.01', 'drop:0.01', 'cut:0-1@1-40', 'pause:3@1-40', 'crash:2@1'],
  }
  const run = watched(settings)
  const { happenings, steps } = run.recording
  const seen = new Set<string>()
  for (let position = 1; position <= Math.min(14, happenings.length); position += 1)
    for (const { acts, label } of stepsAt(run, position).faults) {
      const hands = acts.map((act) => ({
        after: get(steps, position - 1),
        at: get(happenings, position - 1).at,
        act,
      }))
      expect(watched(settings, hands).played.refused, `at ${position}: ${label}`).toEqual([])
      for (const { does } of acts) seen.add(does)
    }
  expect([...seen].toSorted()).toEqual([
    'crash',
    'cut',
    'drop',
    'duplicate',
    'heal',
    'pause',
    'restart',
    'resume',
  ])
})
