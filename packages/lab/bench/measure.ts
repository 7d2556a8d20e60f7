import { get } from '@turnwise/core/bounds'
import type { CDPSession, Page } from 'playwright-core'

/** What frames cost while something was done, in milliseconds. */
export interface Cost {
  readonly frames: number
  readonly perSecond: number
  /** Between two frames: the middle one, and the one that 95 of 100 do not exceed. */
  readonly median: number
  readonly slow: number
  /** Of the page's main thread, for each frame: all of it, and which parts of that were script, and styles and layout. */
  readonly main: number
  readonly script: number
  readonly layout: number
}

/** What is done in each frame of a measurement. */
export type Doing = 'nothing' | 'scrub' | 'step' | 'play'

/** Does something in every frame, for so many frames, and reads off what the page's main thread did meanwhile. */
export async function measure(page: Page, doing: Doing, frames: number): Promise<Cost> {
  const session = await page.context().newCDPSession(page)
  // The time that the thread ran, not the time that passed: others run on this machine too.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  // The compiler of this script names functions by a helper, which the page does not have.
  await page.evaluate('globalThis.__name ??= (named) => named')
  const before = await workOf(session)
  const times = await page.evaluate(inEveryFrame, { doing, frames })
  const after = await workOf(session)
  await session.detach()
  const gaps = times.slice(1).map((time, i) => time - get(times, i))
  const sorted = gaps.toSorted((a, b) => a - b)
  const per = (name: string) => (1000 * ((after.get(name) ?? 0) - (before.get(name) ?? 0))) / frames
  return {
    frames,
    perSecond: (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0),
    median: get(sorted, Math.floor(sorted.length / 2)),
    slow: get(sorted, Math.floor(sorted.length * 0.95)),
    main: per('TaskDuration'),
    script: per('ScriptDuration'),
    layout: per('LayoutDuration') + per('RecalcStyleDuration'),
  }
}

async function workOf(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}

/** Runs in the page. Returns when each frame began. */
function inEveryFrame({ doing, frames }: { doing: Doing; frames: number }): Promise<number[]> {
  const bar = document.querySelector<HTMLInputElement>('.scrub input')
  const last = Number(bar?.max ?? 0)
  const scrubTo = (position: number) => {
    if (bar === null) throw new Error('there is nothing to scrub')
    // As the browser puts it, behind the back of React, which would take it for what it put itself.
    Reflect.set(HTMLInputElement.prototype, 'value', String(Math.round(position)), bar)
    bar.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const press = (key: string) => window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  const act = (frame: number) => {
    // Over the whole run and back, as a hand would drag it.
    if (doing === 'scrub') scrubTo(last * Math.abs((((2 * frame) / frames + 1) % 2) - 1))
    // From the middle of the run: at its beginning the diagram stands still.
    if (doing === 'step' && frame === 0) scrubTo(last / 2)
    else if (doing === 'step') press(frame % 40 < 30 ? 'ArrowRight' : 'ArrowLeft')
    if (doing === 'play' && frame === 0) press(' ')
    if (doing === 'play' && frame === frames - 1) press(' ')
  }
  return new Promise((resolve) => {
    const times: number[] = []
    requestAnimationFrame(function next(now) {
      times.push(now)
      if (times.length > frames) return resolve(times)
      act(times.length - 1)
      requestAnimationFrame(next)
    })
  })
}
