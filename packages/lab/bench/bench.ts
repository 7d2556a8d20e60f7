/**
 * `npm run bench:lab`: what the theatre costs the page's main thread while a long run is scrubbed, stepped and played, and
 * how many frames it draws, beside a page that draws nothing. `--help` says what can be chosen.
 */
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Page } from 'playwright-core'
import { run } from '../../../scripts/options.ts'
import { play } from '../src/run/play-whole.ts'
import { type Lab, obstacle, openLab } from '../test/browser/browser.ts'
import { specOf } from '../test/runs.ts'
import { type Kinds, kindsOf } from './kinds.ts'
import { type Cost, type Doing, measure } from './measure.ts'
import { type BenchOptions, HELP, readOptions } from './options.ts'

/** How many entries make about so many happenings: read off a short run. */
function entriesFor(algorithm: string, nodes: number, events: number): number {
  const few = 50
  const { events: recorded } = play(specOf({ algorithm, nodes, entries: few }), [])
  // What handlers do, and why, belongs to what they were called for.
  const happened = recorded.filter(({ is }) => !['send', 'enter', 'because'].includes(is)).length
  return Math.ceil((events * few) / happened)
}

/** A built page: this one, and with `--against` the other. */
interface Built {
  readonly name: string
  readonly lab: Lab
}

async function bench(built: readonly Built[], algorithm: string, options: BenchOptions): Promise<void> {
  const { nodes, events, frames } = options
  const entries = entriesFor(algorithm, nodes, events)
  const words = `algorithm=${algorithm}&nodes=${nodes}&load=heavy&latency=uniform:0.5,2&entries=${entries}`
  const pages: Page[] = []
  for (const { name, lab } of built) {
    const { page, first, whole } = await load(lab, `#/theatre?${words}&at=0`)
    const count = await page.locator('.transport-count').innerText()
    console.log(`${algorithm}, ${nodes} nodes, ${count.split('/')[1]} events${name}`)
    console.log(`  first picture ${first.toFixed(0)} ms after navigation, whole run ${whole.toFixed(0)} ms`)
    await prepare(page, options)
    pages.push(page)
  }
  for (const doing of ['scrub', 'step', 'play'] as const) {
    const costs = await fastest(pages, doing, options)
    costs.forEach((cost, i) => print(`${doing}${get(built, i).name}`, cost))
    const [here, there] = costs
    if (here !== undefined && there !== undefined) printRatio(here, there)
    if (options.kinds) for (const page of pages) printKinds(await kindsOf(page, doing, frames))
  }
  for (const page of pages) await page.context().close()
}

async function prepare(page: Page, { tab, speed }: BenchOptions): Promise<void> {
  await page.getByRole('tab', { name: tab }).click()
  await page.locator('.speed select').selectOption(speed)
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
}

/** Of each page the round with the least work per frame: what slows the others down is somebody else's. The pages take turns. */
async function fastest(
  pages: readonly Page[],
  doing: Doing,
  { frames, rounds }: BenchOptions,
): Promise<readonly Cost[]> {
  const costs = pages.map((): Cost[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [i, page] of pages.entries()) get(costs, i).push(await measure(page, doing, frames))
  return costs.map((all) =>
    get(
      all.toSorted((a, b) => a.main - b.main),
      0,
    ),
  )
}

interface Loaded {
  readonly page: Page
  /** When the network was first seen, in milliseconds since navigation, by the page's own clock. */
  readonly first: number
  /** When the bar had its whole length. */
  readonly whole: number
}

const LOADS = 3

/** Opens an address several times: the quickest counts. */
async function load(lab: Lab, fragment: string): Promise<Loaded> {
  let best = await loadOnce(lab, fragment)
  for (let round = 1; round < LOADS; round += 1) {
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

function print(what: string, { perSecond, median, slow, main, script, layout }: Cost): void {
  console.log(
    `  ${what.padEnd(8)} main thread ${figure(main)} ms per frame (script ${figure(script)}, styles and layout ` +
      `${figure(layout)}); ${figure(perSecond)} frames/s, a frame every ${figure(median)} ms, 95 % within ${figure(slow)}`,
  )
}

function figure(value: number): string {
  return value.toFixed(1).padStart(5)
}

/** What this page needs of the time that the other one needs. */
function printRatio(here: Cost, there: Cost): void {
  const ratio = (of: 'main' | 'script' | 'layout') => (here[of] / there[of]).toFixed(2)
  console.log(
    `           ${ratio('main')} of the other's main thread (script ${ratio('script')}, styles and layout ${ratio('layout')})`,
  )
}

function printKinds({ main, others }: Kinds): void {
  const listed = (kinds: ReadonlyMap<string, number>) =>
    [...kinds].map(([kind, time]) => `${kind} ${time.toFixed(1)}`).join(', ')
  console.log(`           traced, ms per frame: ${listed(main)}; other threads: ${listed(others)}`)
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return console.log(HELP)
  const why = obstacle()
  if (why !== null) throw new InvalidInput(why)
  const lab = await openLab()
  const other = options.against === null ? null : await openLab(options.against)
  try {
    const empty = await lab.open('#/live', { motion: 'no-preference' })
    await empty.goto('about:blank')
    console.log('an empty page')
    print('nothing', get(await fastest([empty], 'nothing', options), 0))
    await empty.context().close()
    const { page, first } = await load(lab, '')
    console.log(`the run that the page opens on\n  first picture ${first.toFixed(0)} ms after navigation`)
    await page.context().close()
    const built =
      other === null
        ? [{ name: '', lab }]
        : [
            { name: '', lab },
            { name: ', other', lab: other },
          ]
    for (const algorithm of options.algorithms) await bench(built, algorithm, options)
  } finally {
    await lab.close()
    await other?.close()
  }
}

await run(main)
