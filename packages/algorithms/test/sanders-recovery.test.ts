import { readFileSync } from 'node:fs'
import { Check } from '@turnwise/checker/check'
import { NO_TROUBLE } from '@turnwise/checker/instance'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { playScenario } from '@turnwise/simulator/scenario'
import { describe, expect, test } from 'vitest'
import { variant } from '../broken/sanders-recovery-published.ts'
import { sandersRecovery } from '../src/quorum/sanders-recovery.ts'
import { measured } from './measured.ts'

/** Section 7.1 of Sanders (1987): a failure is mended without agreement. */

function scenario(name: string): string {
  return readFileSync(new URL(`../scenarios/sanders-recovery/${name}.txt`, import.meta.url), 'utf8')
}

/** The scenario up to the first command that only makes sense if nobody is inside by mistake. */
function asPublished(name: string, blocks: number): string {
  const commands = scenario(name).split('\n\n').slice(0, blocks)
  return playScenario(`${commands.join('\n\n')}\n`, variant.algorithm)
}

/** The properties that fail with these troubles, fences aside. */
function failures(wishes: RunWishes, trouble: Partial<typeof NO_TROUBLE>): string[] {
  const { setup } = simulationConfig(sandersRecovery, wishes)
  const instance = {
    algorithm: sandersRecovery,
    setup,
    requests: 1,
    channels: 'unordered',
    timing: 'any',
  } as const
  const check = new Check({ ...instance, budgets: { ...NO_TROUBLE, ...trouble } }, 500_000)
  while (!check.run(100_000));
  return check.result.properties.filter(({ holds }) => holds === false).map(({ name }) => name)
}

describe('the published rule lets two in', () => {
  // shows claim local-recovery-is-safe
  test('three nodes: who has the GRANT of the failed node enters beside the one that asked it instead', () => {
    expect(asPublished('three-nodes', 1)).toContain('VIOLATION exclusion: nodes 0, 1 are inside together')
    expect(scenario('three-nodes')).not.toContain('VIOLATION')
  })

  // shows claim local-recovery-is-safe
  test('five nodes: who has the GRANT of the failed node asks none of the new members', () => {
    expect(asPublished('five-nodes', 3)).toContain('VIOLATION exclusion: nodes 0, 1 are inside together')
    expect(scenario('five-nodes')).not.toContain('VIOLATION')
  })
})

describe('repaired', () => {
  // shows sanders-1987 7.1 Local Recovery
  test.each(['central:2', 'maekawa', '0.2/1.2/2:0.2/0.1.2/2'])('%s survives a crash and two', (structure) => {
    expect(failures({ nodes: 3, structure }, { crashes: 1 })).toEqual([])
    expect(failures({ nodes: 3, structure }, { crashes: 2 })).toEqual([])
  })

  // shows sanders-1987 7 Failure Tolerance
  test('it needs a detector that never errs: one who is suspected waits for ever, two are inside together', () => {
    for (const structure of ['central:2', 'maekawa', 'figure-2']) {
      expect(failures({ nodes: 3, structure }, { suspicions: 1 })).toEqual(['no-deadlock'])
      expect(failures({ nodes: 3, structure }, { suspicions: 2 })).toEqual(['exclusion'])
    }
  })

  // shows sanders-1987 7 Failure Tolerance
  test('nothing is paid for it while nobody fails', () => {
    for (const structure of ['central', 'maekawa', 'figure-2']) {
      for (const load of ['light', 'heavy']) {
        const wishes = { nodes: 7, structure, load, entries: 60 }
        expect(measured('sanders-recovery', wishes).messages).toEqual(measured('sanders', wishes).messages)
      }
    }
  })

  // shows sanders-1987 7.1 Local Recovery
  test('in a run the others go on when one of them fails', () => {
    for (let node = 0; node < 7; node += 1) {
      for (const structure of ['central', 'maekawa', 'figure-2', 'ricart-agrawala']) {
        const wishes = { nodes: 7, structure, load: 'closed:3', latency: 'uniform:0.5,1.5', entries: 120 }
        const { unserved, gaveUp } = measured('sanders-recovery', { ...wishes, fault: [`crash:${node}@20`] })
        expect({ unserved, gaveUp }, `${structure} ${node}`).toEqual({ unserved: 0, gaveUp: false })
      }
    }
  })
})
