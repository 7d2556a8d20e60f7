import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

interface Moment {
  readonly position: number
  readonly of: number
  readonly isPlaying: boolean
  readonly sentence: string
}

type Controlled = HTMLElement & Record<'play' | 'pause' | 'step', () => void> & { seek(to: number): void }

inBrowser('a run in a page of others', (lab) => {
  let host: Server
  let course: string
  beforeAll(async () => {
    host = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(pageWith(lab.address))
    })
    await new Promise<void>((ready) => {
      host.listen(0, '127.0.0.1', ready)
    })
    course = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    await new Promise((closed) => host.close(closed))
  })

  /** Waits until the element has told of a moment like this since the last order. */
  const heard = async (page: Page, wanted: Partial<Moment>) => {
    const found = await page.waitForFunction(
      (like) => {
        const { moments } = window as unknown as { moments: Moment[] }
        return moments.find((moment) =>
          Object.entries(like).every(([name, value]) => moment[name as keyof Moment] === value),
        )
      },
      wanted as Record<string, unknown>,
    )
    return (await found.jsonValue()) as Moment
  }
  const order = (page: Page, name: 'play' | 'pause' | 'step' | 'seek', to = 0) =>
    page.evaluate(
      ([what, where]) => {
        const element = document.querySelector('turnwise-run') as Controlled
        ;(window as unknown as { moments: Moment[] }).moments.length = 0
        if (what === 'seek') element.seek(where)
        else element[what]()
      },
      [name, to] as const,
    )

  test('is controlled by the page that its address names, and tells it where it stands', async () => {
    const page = await lab.open(course)
    const first = await heard(page, { position: 0, isPlaying: false })
    expect(first.of).toBeGreaterThan(5)
    await order(page, 'step')
    expect((await heard(page, { position: 1 })).sentence).toMatch(/^2 asks/)
    await order(page, 'seek', 5)
    await heard(page, { position: 5, isPlaying: false })
    await order(page, 'play')
    await heard(page, { isPlaying: true })
    await order(page, 'pause')
    await heard(page, { isPlaying: false })
    // The other frame names another origin: it does not hear what this page says.
    const other = page.frameLocator('#other')
    await other.locator('.topology [data-node]').first().waitFor()
    expect(await other.locator('.transport-count').innerText()).toMatch(/^0\//)
  })

  test('has pictures, controls and a sentence, but no bars', LONG, async () => {
    const page = await lab.open('?embed=1#/theatre?at=3', { width: 700, height: 520 })
    await page.locator('.topology [data-node]').first().waitFor()
    await page.getByRole('link', { name: 'Open in turnwise' }).waitFor()
    await page.locator('.spacetime canvas').waitFor()
    for (const hidden of ['.settings-row', '.panel', '.bar'])
      expect(await page.locator(hidden).filter({ visible: true }).count(), hidden).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('the button has both texts, for the moment that is shown', LONG, async () => {
    const page = await lab.open('#/theatre?at=3')
    await page.locator('.topology [data-node]').first().waitFor()
    await page.getByRole('button', { name: 'Embed' }).click()
    await page.locator('.copied textarea').first().waitFor()
    expect(await page.locator('.copied textarea').first().inputValue()).toContain(
      `src="${lab.address}?embed=1#/theatre?at=3"`,
    )
    expect(await page.locator('.copied textarea').last().inputValue()).toContain(
      '<turnwise-run run="#/theatre?at=3">',
    )
    expect(await seriousFindings(page)).toEqual([])
  })
})

/** A page of a course, with a run that it controls and one that it may not. */
function pageWith(lab: string): string {
  return `<!doctype html><title>A course</title><script>
    window.moments = []
    addEventListener('load', () => {
      const other = document.querySelector('#other')
      other.addEventListener('load', () => setInterval(() => other.contentWindow.postMessage({ turnwise: 'step' }, '*'), 20))
    })
  </script>
  <script src="${lab}turnwise-run.js"></script>
  <turnwise-run run="#/theatre?at=0"></turnwise-run>
  <iframe id="other" src="${lab}?embed=1&control=https://other.example#/theatre?at=0" width="700" height="400"></iframe>
  <script>document.querySelector('turnwise-run').addEventListener('moment', ({ detail }) => moments.push(detail))</script>`
}
