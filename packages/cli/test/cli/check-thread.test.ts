import { Command } from 'commander'
import { describe, expect, test, vi } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { atLeast } from '../../../../test/present.ts'
import { protocolOrVariantNamed } from '../../src/cli/algorithm-names.ts'
import { addCheckOptions, type CheckOptions, instanceFrom } from '../../src/cli/check-options.ts'
import { CheckThread, ThreadDied } from '../../src/cli/check-thread.ts'
import { type Exploration, explore, type Watch } from '../../src/cli/threaded-search.ts'
import { command } from './in-process.ts'

/** A thread runs what was built. */
const BUILT = new URL('../../dist/cli/check-worker.js', import.meta.url)

function parsed(line: string): { name: string; options: CheckOptions } {
  const [name, ...words] = atLeast(1, line.split(' '))
  const parser = addCheckOptions(new Command()).parse(words, { from: 'user' })
  return { name, options: parser.opts() }
}

/** Both threads from the first state on, and how many pieces of work the second one got. */
async function together(
  line: string,
  watch: Watch = () => true,
): Promise<{ found: Exploration; pieces: number }> {
  const { name, options } = parsed(line)
  const { instance, mostStates } = instanceFrom(protocolOrVariantNamed(name), options)
  const thread = new CheckThread(name, options, BUILT)
  try {
    await vi.waitUntil(() => thread.isReady, { timeout: 30_000 })
    const expand = vi.spyOn(thread, 'expand')
    const found = await explore(instance, mostStates, thread, watch)
    return { found, pieces: expand.mock.calls.length }
  } finally {
    thread.stop()
  }
}

async function alone(line: string): Promise<Exploration> {
  const { name, options } = parsed(line)
  const { instance, mostStates } = instanceFrom(protocolOrVariantNamed(name), options)
  return explore(instance, mostStates, null, () => true)
}

const FEW = ['ricart-agrawala --requests any']

const MORE = [
  'ricart-agrawala-printed --nodes 2 --requests 2',
  'bully --crashes 1',
  'lamport --nodes 2 --requests 3',
  'lamport --channels unordered',
  'nishio-li-manning --nodes 2 --drops 1 --timing bounded',
  'helary-plouzeau-raynal-reconfiguration --nodes 2 --requests 2 --unlinks 1 --links 1',
  'raymond-k --k 2',
  'carvalho-roucairol --readers 0.5 --max-states 9000',
  'lamport --nodes 2 --requests any --clock 20',
]

describe('two threads find what one finds', () => {
  test.each(extent(FEW, MORE, [...FEW, ...MORE]))('%s', async (line) => {
    const { found, pieces } = await together(line)
    expect(found).toEqual(await alone(line))
    expect(pieces).toBeGreaterThan(1)
  })
})

test('the watcher can end it', async () => {
  const { found } = await together('ricart-agrawala --nodes 4 --requests any', (states) => states < 10_000)
  expect(found.result.complete).toBe(false)
  expect(found.result.states).toBeLessThan(200_000)
  expect(found.fences?.holds).toBeNull()
})

describe('a thread that dies', () => {
  const { name, options } = parsed('raymond')
  test.each([
    ['throw new Error("out of luck")', 'the second thread died: out of luck; --workers 1 does without it'],
    ['process.exit(7)', 'the second thread died without an error; --workers 1 does without it'],
  ])('%s', async (script, message) => {
    const thread = new CheckThread(name, options, new URL(`data:text/javascript,${script}`))
    await expect(thread.answer()).rejects.toEqual(new ThreadDied(message))
  })

  // Here the thread cannot start: these are the sources, and its entry is built from them.
  test('is told in one line', async () => {
    const { code, out, err } = await command('check raymond --workers 2')
    expect({ code, out }).toEqual({ code: 70, out: '' })
    expect(err).toEqual([
      expect.stringMatching(/^turnwise: the second thread died: .*; --workers 1 does without it$/),
    ])
  })

  test('after it was stopped that is no death', async () => {
    const thread = new CheckThread(name, options, BUILT)
    thread.stop()
    expect(await thread.answer()).toBeNull()
  })
})
