import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { simulationConfig } from '../src/configuration.ts'
import { Simulation } from '../src/simulation.ts'

/**
 * The same seed is the same run on every engine: these hashes over all events of a run, random delays and faults
 * included, came out of Node and of Chromium alike. A change of a rule, of a draw or of the trace changes them, and
 * should be meant. Reasons are left out: other words are the same run.
 */
const GOLDEN = {
  maekawa: { events: 76254, hash: 'a4087e87' },
  lamport: { events: 225002, hash: '493e919d' },
  raymond: { events: 35574, hash: '5d539779' },
  'helary-plouzeau-raynal': { events: 80944, hash: '90f7e3ed' },
}

/** FNV-1a over the events as they are written. */
function fingerprint(name: string): { events: number; hash: string } {
  let events = 0
  let hash = 0x811c9dc5
  const config = simulationConfig(algorithmNamed(name), {
    nodes: 13,
    entries: 3000,
    load: 'poisson:0.2',
    latency: 'exponential:1',
    inside: 'exponential:1',
    fault: ['spike:0.1,5', 'pause:3@10-20'],
    seed: 7,
  })
  const record = (event: TraceEvent) => {
    if (event.is === 'because') return
    events += 1
    for (const character of JSON.stringify(event))
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  }
  new Simulation({ ...config, record }).runToEnd()
  return { events, hash: (hash >>> 0).toString(16) }
}

for (const [name, golden] of Object.entries(GOLDEN)) {
  // Of Lamport's algorithm everybody sends to everybody.
  test(name, name === 'lamport' ? LONG : {}, () => {
    expect(fingerprint(name)).toEqual(golden)
  })
}
