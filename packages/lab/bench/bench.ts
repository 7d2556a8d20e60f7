/**
 * `npm run bench:lab`: what the theatre costs the page's main thread while a long run is scrubbed, stepped and played, and
 * how many frames come of it, beside a page on which nothing is drawn. `--help` says what can be chosen.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Page } from 'playwright-core'
import { play } from '../src/run/play-whole.ts'
import { type Lab, obstacle, openLab } from '../test/browser/browser.ts'
import { specOf } from '../test/runs.ts'
import { type Cost, type Doing, measure } from './measure.ts'
import { type BenchOptions, HELP, readOptions } from './options.ts'

/** How many entries make about so many happenings: read off a short run. */
function entriesFor(algorithm: string, nodes: number, events: number): number {
  const few = 50
  const { events: recorded } = play(specOf({ algorithm, nodes, entries: few }), [])
  // What handlers do belongs to what they were called for.
  const happened = recorded.filter(({ is }) => is !== 'send' && is !== 'enter').length
  return Math.ceil((events * few) / happened)
}

async function bench(lab: Lab, algorithm: string, { nodes, events, frames, speed, tab }: BenchOptions) {
  const entries = entriesFor(algorithm, nodes, events)
  const words = `algorithm=${algorithm}&nodes=${nodes}&load=heavy&latency=uniform:0.5,2&entries=${entries}`
  const { page, first, whole } = await load(lab, `#/theatre?${words}&at=0`)
  const count = await page.locator('.transport-count').innerText()
  console.log(`${algorithm}, ${nodes} nodes, ${count.split('/')[1]} events`)
  console.log(`  first picture ${first.toFixed(0)} ms after navigation, whole run ${whole.toFixed(0)} ms`)
  await page.getByRole('tab', { name: tab }).click()
  await page.locator('.speed select').selectOption(speed)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (const doing of ['scrub', 'step', 'play'] as const) print(doing, await fastest(page, doing, frames))
  await page.context().close()
}

const ROUNDS = 3

/** The round with the least work per frame: what slows the others down is somebody else's. */
async function fastest(page: Page, doing: Doing, frames: number): Promise<Cost> {
  let best = await measure(page, doing, frames)
  for (let round = 1; round < ROUNDS; round += 1) {
    const next = await measure(page, doing, frames)
    if (next.main < best.main) best = next
  }
  return best
}

interface Loaded {
  readonly page: Page
  /** When the network was first seen, in milliseconds since navigation, by the page's own clock. */
  readonly first: number
  /** When the bar had its whole length. */
  readonly whole: number
}

/** Opens an address several times: the quickest counts. */
async function load(lab: Lab, fragment: string): Promise<Loaded> {
  let best = await loadOnce(lab, fragment)
  for (let round = 1; round < ROUNDS; round += 1) {
    const next = await loadOnce(lab, fragment)
    const slower = next.first < best.first ? best : next
    if (slower === best) best = next
    await slower.page.context().close()
  }
  return best
}

async function loadOnce(lab: Lab, fragment: string): Promise<Loaded> {
  const page = await lab.open(fragment, { motion: 'no-preference' })
  // Looked at in every frame: what is found was in the frame before.
  const first = await page.waitForFunction(
    () => document.querySelector('.topology [data-node]') !== null && performance.now(),
  )
  await page.locator('.scrub[data-whole=true]').waitFor({ timeout: 60_000 })
  return { page, first: Number(await first.jsonValue()), whole: await page.evaluate(() => performance.now()) }
}

function print(doing: Doing, { perSecond, median, slow, main, script, layout }: Cost): void {
  const figure = (value: number) => value.toFixed(1).padStart(5)
  console.log(
    `  ${doing.padEnd(8)} main thread ${figure(main)} ms per frame (script ${figure(script)}, styles and layout ` +
      `${figure(layout)}); ${figure(perSecond)} frames/s, a frame every ${figure(median)} ms, 95 % within ${figure(slow)}`,
  )
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(HELP)
  const why = obstacle()
  if (why !== null) throw new InvalidInput(why)
  const lab = await openLab()
  try {
    const empty = await lab.open('#/live', { motion: 'no-preference' })
    await empty.goto('about:blank')
    console.log('an empty page')
    print('nothing', await fastest(empty, 'nothing', options.frames))
    await empty.context().close()
    const { page, first } = await load(lab, '')
    console.log(`the run that the page opens on\n  first picture ${first.toFixed(0)} ms after navigation`)
    await page.context().close()
    for (const algorithm of options.algorithms) await bench(lab, algorithm, options)
  } finally {
    await lab.close()
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof InvalidInput)) throw error
  console.error(error.message)
  process.exitCode = 2
})
