import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import type { LiveView } from '../../src/live/live-view.ts'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const sentenceOf = (page: Page) => page.locator('.sentence p').first().innerText()

async function choose(page: Page, node: number, what: string): Promise<void> {
  await page.locator(`.topology [data-node="${node}"]`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}

/** In the page: the chosen values of the settings that are wider than their boxes. */
function cutValues(): string[] {
  return [...document.querySelectorAll<HTMLSelectElement>('.settings select')].flatMap((box) => {
    const text = box.selectedOptions[0]?.text ?? ''
    const { font, padding } = getComputedStyle(box)
    // As wide as this value alone needs.
    const alone = document.createElement('select')
    alone.append(new Option(text))
    Object.assign(alone.style, { font, padding, width: 'auto', maxWidth: 'none' })
    box.after(alone)
    const isCut = alone.offsetWidth > box.offsetWidth
    alone.remove()
    return isCut ? [text] : []
  })
}

/** Second steps of a visitor, after what every room shows first. */
inBrowser(
  'a visitor goes on',
  (lab) => {
    afterEach(() => {
      lab.network.isDown = false
    })

    test('hands at the end of a run, fewer nodes than the words name', LONG, async () => {
      const page = await shown(await lab.open('#/theatre?at=1'))
      await choose(page, 0, 'Crash')
      await page.locator('.node.crashed').waitFor()
      await page.keyboard.press('End')
      await page.locator('.sentence p', { hasText: 'VIOLATION' }).first().waitFor()
      await choose(page, 0, 'Restart with memory')
      await page.waitForFunction(() => document.querySelector('.node.crashed') === null)
      await expect.poll(() => sentenceOf(page)).toContain('Node 0 restarts')

      await page.getByLabel('Nodes', { exact: true }).fill('2')
      await page.keyboard.press('Enter')
      await page.getByText('With 2 nodes there is no node 2: its requests are left out.').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await page.waitForFunction(() => document.querySelectorAll('.topology [data-node]').length === 2)
      // With three nodes all three ask again.
      await page.getByLabel('Nodes', { exact: true }).fill('3')
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.querySelectorAll('.topology [data-node]').length === 3)
      await page.locator('.adjusted').waitFor({ state: 'detached' })
    })

    test(
      'the network keeps its size from step to step, and the options of an algorithm have labels',
      LONG,
      async () => {
        const page = await shown(await lab.open('#/theatre?algorithm=maekawa&nodes=5&load=heavy&at=0'))
        const { heights, longest } = await page.evaluate(async () => {
          const height = () => document.querySelector('.topology')?.getBoundingClientRect().height ?? 0
          const seen = new Set([height()])
          let most = 0
          for (let step = 0; step < 40; step += 1) {
            window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
            await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
            most = Math.max(most, document.querySelector('.reasons')?.textContent?.length ?? 0)
            seen.add(height())
          }
          return { heights: [...seen], longest: most }
        })
        // Some reasons take two lines, and some one.
        expect(longest).toBeGreaterThan(130)
        expect(heights).toHaveLength(1)

        await page.getByText('More', { exact: true }).click()
        await page.getByLabel('FAIL is sent to').selectOption('none')
        await page.waitForFunction(() => window.location.hash.includes('set=fail%3Dnone'))
      },
    )

    test('what a step changed: the old queue in a line of its own', LONG, async () => {
      const page = await shown(await lab.open('#/theatre?algorithm=maekawa&nodes=7&load=heavy&at=40'))
      const queue = page.locator('.card.active .apart')
      const [old, now] = await Promise.all(
        ['del', ':scope > .items'].map((part) => queue.locator(part).first().boundingBox()),
      )
      expect(now?.y).toBeGreaterThanOrEqual((old?.y ?? 0) + (old?.height ?? 0))
      const struck = queue.locator('del .record > span').first()
      expect(await struck.evaluate((part) => getComputedStyle(part).textDecorationLine)).toBe('line-through')
    })

    test(
      'an unsafe structure offers its violating run, in which both who are inside are red',
      LONG,
      async () => {
        const page = await lab.open('#/theatre?algorithm=sanders&nodes=3&structure=figure-3a&at=0')
        await page.getByText('This structure does not guarantee mutual exclusion:').waitFor()
        await page.getByRole('button', { name: 'Show the violating run' }).click()
        await page.locator('.chip.fails', { hasText: 'are inside together' }).waitFor()
        const red = page.locator('.node.violating[aria-label*="inside against the rule"]')
        await expect.poll(() => red.count()).toBe(2)
        await expect.poll(() => page.locator('.chip.fails').count()).toBe(1)
        expect(await seriousFindings(page)).toEqual([])
      },
    )

    test('the chosen settings are in one row, and none is cut', LONG, async () => {
      const page = await shown(await lab.open('#/theatre?algorithm=ricart-agrawala&nodes=3&load=heavy&at=1'))
      for (const load of ['light', 'heavy']) {
        await page.getByLabel('Load').selectOption(load)
        for (const width of [960, 1024, 1366, 1440]) {
          await page.setViewportSize({ width, height: 768 })
          // The buttons fold when the page has heard of the width.
          await page.locator('.settings-row .share').waitFor({ state: width < 1366 ? 'detached' : 'visible' })
          expect(await page.evaluate(cutValues), `at a width of ${width}`).toEqual([])
          const row = await page.locator('.settings-row').boundingBox()
          expect(row?.height, `at a width of ${width}`).toBeLessThan(80)
        }
      }
    })

    test('channels by keyboard, headings without jumps, both pictures on a projector', LONG, async () => {
      const page = await lab.open('#/theatre?algorithm=maekawa&nodes=13&load=heavy&at=20', {
        width: 1024,
        height: 768,
      })
      await shown(page)
      await page.locator('.spacetime canvas').waitFor()
      const boxes = await Promise.all(
        ['.topology', '.spacetime'].map((part) => page.locator(part).boundingBox()),
      )
      for (const box of boxes) {
        expect(box?.height).toBeGreaterThan(150)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(768)
      }
      expect(await page.locator('.hull-name').first().textContent()).toMatch(/^asked by \d+$/)
      const levels = await page.evaluate(() =>
        [...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map(({ tagName }) =>
          Number(tagName.slice(1)),
        ),
      )
      expect(levels.every((level, i) => level <= (levels[i - 1] ?? 0) + 1)).toBe(true)
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('c')
      await page.keyboard.press('c')
      const name = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
      expect(name).toBe('channel 0 to 2')
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: 'Cut both ways' }).press('Enter')
      await page.locator('[data-link="0-2"].cut').waitFor()
    })

    test('the live room: a deadlock, what a lock is held for, why nobody has one, and zones', async () => {
      const page = await lab.open('#/theatre?at=1')
      const lock = { holders: [], waiters: ['c'], waiting: 1, notes: [], fence: null, turns: null }
      const node = { isIn: true, zone: null, leaseLeft: null, deeds: [], turns: null, turnsPerSecond: null }
      const view: LiveView = {
        title: 'turnwise up',
        algorithm: 'token-queue',
        lease: 2000,
        view: { epoch: 3, members: ['a', 'b', 'c'] },
        place: null,
        nodes: [
          { ...node, id: 'a', state: 'in view', zone: 'eu-west' },
          { ...node, id: 'b', state: 'killed' },
        ],
        locks: [
          { ...lock, name: 'orders' },
          { ...lock, name: 'stock', holders: ['a'], notes: ['a holds for 1.5 s: {"job":4711}'] },
        ],
        locksAge: 0,
        more: 0,
        circles: ['a waits for orders, which c holds; c waits for stock, which a holds'],
        figuresOf: null,
        turnsPerSecond: 1,
        messagesPerSecond: 2,
        happenings: [],
        recorded: [],
      }
      const body = `data: ${JSON.stringify(view)}\n\n`
      await page.route('**/live', (route) => route.fulfill({ contentType: 'text/event-stream', body }))
      await page.getByRole('link', { name: 'Live', exact: true }).click()
      await page.getByText('Deadlock: a waits for orders, which c holds').waitFor()
      await page.getByText('a holds for 1.5 s: {"job":4711}').waitFor()
      await page.getByRole('cell', { name: 'until the lease of b has ended' }).waitFor()
      await page.getByRole('article', { name: 'Node a' }).getByText('zone eu-west').waitFor()
      expect(await page.locator('.live-zone').count()).toBe(1)
      expect(await seriousFindings(page)).toEqual([])
    })

    test(
      'lessons go by a clicker, and search for nothing; the first view says what it is; words are those of a reader',
      LONG,
      async () => {
        const lesson = await lab.open('#/lessons?lesson=maekawa-deadlock&at=0')
        await lesson.locator('.topology [data-node]').first().waitFor()
        expect(
          await lesson.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name)),
        ).not.toContainEqual(expect.stringContaining('check.worker'))
        const count = (text: string) => lesson.locator('.lesson-buttons .figures', { hasText: text }).first()
        await lesson.keyboard.press('PageDown')
        // A page that is not drawn yet cannot be turned.
        await count('2 of 6').waitFor()
        await lesson.keyboard.press('PageDown')
        await lesson.getByText('Node 0 gives its vote to node 2.', { exact: true }).waitFor()
        await count('3 of 6').waitFor()
        await lesson.keyboard.press('PageUp')
        await lesson.getByText('Node 1 asks nodes 0 and 3, and itself.', { exact: true }).waitFor()
        await lesson.close()

        const page = await lab.open('#/theatre?at=1')
        await page.getByText('Everything in the picture can be clicked').waitFor()
        await page.getByRole('tab', { name: 'Messages' }).click()
        await page.locator('.letters-list button').last().click()
        await page.getByRole('menuitem', { name: 'Drop' }).click()
        await page.getByRole('button', { name: 'drop request 2 to 1' }).waitFor()
        // On paper nothing is cut off, in any room.
        for (const room of ['Theatre', 'Check', 'Compare', 'Structures', 'Lessons', 'Live']) {
          await page.emulateMedia({ media: 'screen' })
          await page.getByRole('link', { name: room, exact: true }).click()
          // Until the address has changed, the last room is there.
          await page.locator('#rooms [aria-current=page]', { hasText: room }).waitFor({ state: 'attached' })
          await page.locator('main:not([aria-busy]) h1').first().waitFor({ state: 'attached' })
          await page.emulateMedia({ media: 'print' })
          const cut = await page.evaluate(() =>
            ['main', '.tab-panel', '#page'].filter((part) => {
              const box = document.querySelector(part)
              return box !== null && getComputedStyle(box).overflowY !== 'visible'
            }),
          )
          expect(cut, room).toEqual([])
          expect(await page.locator('.bar').isVisible(), room).toBe(false)
        }
      },
    )

    test('a rule of the gallery is answered in sight', LONG, async () => {
      const page = await lab.open('#/check')
      await page.locator('.check-gallery button').last().click()
      const verdict = page.getByRole('heading', { name: '✗ A property fails' })
      await verdict.waitFor()
      await page.waitForFunction(() => {
        const { top = -1 } = document.querySelector('.check-result h2')?.getBoundingClientRect() ?? {}
        return top >= 0 && top < window.innerHeight
      })
      await page.locator('.check-outcome:focus').waitFor()
    })

    test(
      'a room that cannot be loaded leaves the others, and a page that was kept needs no server',
      LONG,
      async () => {
        const page = await lab.open('#/theatre?at=1', { apart: true })
        await page.locator('.topology [data-node]').first().waitFor()
        lab.network.isDown = true
        await page.getByRole('link', { name: 'Check', exact: true }).click()
        await page.getByRole('heading', { name: 'Check cannot be shown' }).waitFor()
        expect(await seriousFindings(page)).toEqual([])
        await page.getByRole('button', { name: 'Back' }).click()
        await page.locator('.topology [data-node]').first().waitFor()

        lab.network.isDown = false
        const kept = await lab.open('#/theatre?at=1', { offline: true })
        await kept.waitForFunction(() => navigator.serviceWorker.controller !== null)
        lab.network.isDown = true
        await kept.getByRole('link', { name: 'Structures', exact: true }).click()
        await kept.locator('.structure-picture svg').first().waitFor()
        await kept.reload()
        await kept.locator('.structure-picture svg').first().waitFor()
        await kept.goto(`${new URL('.', kept.url()).href}?token=x#/theatre?at=2`)
        await kept.locator('.topology [data-node]').first().waitFor()
      },
    )
  },
  {
    provokes:
      /Failed to fetch|dynamically imported|preload CSS|404|EventSource|fetching the script|ERR_EMPTY_RESPONSE|ERR_CONNECTION/,
  },
)
