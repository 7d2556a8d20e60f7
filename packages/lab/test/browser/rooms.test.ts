import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { playable } from '../../src/run/spec.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const ROOMS = [
  ['lessons', '#/lessons', '.lesson-cards'],
  ['a lesson', '#/lessons?lesson=path-reversal', '.topology [data-node]'],
  [
    'compare',
    '#/compare?algorithms=lamport,raymond&nodes=3,5&entries=20&repeats=2',
    'text=16 of 16 runs measured',
  ],
  ['check', '#/check?algorithm=lamport&channels=unordered', '.check-run li'],
  ['assumptions', '#/assumptions?cell=raymond/amnesia', '.assumptions-findings li'],
  ['write', '#/write?from=template', '.write-outcome[aria-busy=false] .check-result'],
  ['structures', '#/structures', '.structure-picture svg'],
  ['live', '#/live', '.live h1'],
] as const

const WINDOWS = [
  ['wide and light', { width: 1440, height: 900, scheme: 'light' }],
  ['a dark phone', { width: 390, height: 844, scheme: 'dark' }],
] as const

/** The names of algorithms as commands have them, where a reader meets them: not in code, nor in the editor. */
async function slugsIn(page: Page): Promise<string[]> {
  const text = await page.locator('main').evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement
    for (const code of copy.querySelectorAll('code, pre, textarea')) code.remove()
    return copy.textContent ?? ''
  })
  const names = playable.map(({ facts }) => facts.name).filter((name) => name.includes('-'))
  return names.filter((name) => text.includes(name))
}

inBrowser(
  'the other rooms in a browser',
  (lab) => {
    const opened = async (address: string, shows: string, options = {}): Promise<Page> => {
      const page = await lab.open(address, options)
      await page.locator(shows).first().waitFor()
      return page
    }

    for (const [i, [room, address, shows]] of ROOMS.entries()) {
      for (const [j, [window, options]] of WINDOWS.entries()) {
        // In `npm test` every third room, in one of the windows by turns.
        const tags = i % 3 === 0 && (i + j) % 2 === 0 ? {} : LONG
        test(
          `${room}: axe finds nothing serious, and nothing is wider than the window: ${window}`,
          tags,
          async () => {
            const page = await opened(address, shows, options)
            expect(await seriousFindings(page)).toEqual([])
            expect(await slugsIn(page)).toEqual([])
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
              options.width,
            )
          },
        )
      }
    }

    test('a counterexample goes from the check to the theatre, and opens where the property breaks', async () => {
      const page = await opened('#/check?algorithm=lamport&channels=unordered', '.check-run li')
      await expect
        .poll(() => page.locator('.check-run .why').last().innerText())
        .toMatch(/^The request of node 1 is first in its queue/)
      await page.getByRole('link', { name: 'Watch it in the theatre' }).click()
      await page.locator('.topology [data-node]').first().waitFor()
      await page.getByText('Nodes 0, 1 are inside together').first().waitFor()
    })

    test('a cell of the grid of assumptions opens its shortest run in the theatre', LONG, async () => {
      const page = await opened('#/assumptions?algorithm=lamport&without=order', '.assumptions-table')
      expect(await page.locator('.assumptions-table tbody button').count()).toBeLessThan(5)
      await page.getByRole('button', { name: 'Lamport, messages overtake each other: unsafe' }).click()
      const exclusion = page
        .locator('.assumptions-findings li')
        .filter({ hasText: 'Mutual exclusion: fails' })
      expect(await exclusion.locator('code').innerText()).toBe(
        'npx turnwise check lamport --nodes 2 --channels unordered --only exclusion',
      )
      await exclusion.getByRole('button', { name: 'Watch the run' }).click()
      await page.getByText('Nodes 0, 1 are inside together').first().waitFor()
      expect(page.url()).toContain('#/theatre?trace=')
      await page.goBack()
      await page.getByRole('heading', { name: 'Lamport' }).waitFor()
    })

    test('a broken rule of the gallery is found to fail, and its repair is told', LONG, async () => {
      const page = await opened('#/check', '.check-gallery li')
      await page.getByRole('button', { name: 'Lamport: without hearing all' }).click()
      await page.getByRole('heading', { name: '✗ A property fails' }).waitFor()
      await page.getByText('The repair:').waitFor()
    })

    test('a lesson asks what happens next, and shows nothing of it before', async () => {
      const page = await opened('#/lessons?lesson=raymond&at=0', '.lesson-says')
      const count = page.locator('.lesson-buttons .figures').first()
      await page.keyboard.press('PageDown')
      const question = page.getByRole('group', {
        name: 'Node 2 receives request from node 5. What does it do?',
      })
      await question.waitFor()
      const opacity = () => page.locator('.time-future').evaluate((part) => getComputedStyle(part).opacity)
      await expect.poll(opacity).toBe('1')
      expect(await seriousFindings(page)).toEqual([])
      await question.getByRole('button', { name: 'It sends request to node 0' }).click()
      await page.getByText('✓ Right.').waitFor()
      await count.filter({ hasText: /^3 of 9$/ }).waitFor()
      // By key, and wrong.
      await page.getByText('Node 2 receives request from node 6. What does it do?').waitFor()
      await page.keyboard.press('2')
      await page.getByText('✗ No: it sends nothing for now.').waitFor()
      await page.getByText('1 of 2 predicted').waitFor()
      expect(page.url()).not.toContain('predicted')
      // Skipped, it stays open, and counts for nothing.
      await page.keyboard.press('PageDown')
      // A page that is not drawn yet cannot be turned.
      await count.filter({ hasText: /^5 of 9$/ }).waitFor()
      await page.keyboard.press('PageDown')
      await count.filter({ hasText: /^6 of 9$/ }).waitFor()
      await page.keyboard.press('PageUp')
      await page.getByText('Node 2 receives privilege from node 0. What does it do?').waitFor()
      await page.getByLabel('Questions').uncheck()
      await page.locator('.prediction').waitFor({ state: 'detached' })
      // This browser keeps it.
      await page.reload()
      await page.getByText('1 of 2 predicted').waitFor()
      expect(await page.locator('.prediction').count()).toBe(0)
      await page.getByRole('link', { name: 'All lessons' }).click()
      await page.locator('.lesson-cards').getByText('1 of 2 predicted').waitFor()
      await page.getByRole('button', { name: 'Forget my answers' }).click()
      await page.getByText('1 of 2 predicted').first().waitFor({ state: 'detached' })
    })

    test('a lesson goes on, a sentence at a time', LONG, async () => {
      const page = await opened('#/lessons?lesson=raymond&at=0', '.lesson-says')
      const said = () => page.locator('.lesson-says').innerText()
      const first = await said()
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      await page.waitForFunction(
        (before) => document.querySelector('.lesson-says')?.textContent !== before,
        first,
      )
      await expect.poll(said).toContain('Node 5 asks its neighbour')
    })

    test('two algorithms are measured, and the figures are in a table', LONG, async () => {
      const page = await opened(
        '#/compare?algorithms=lamport,raymond&nodes=3,5&entries=20&repeats=2',
        '.chart svg',
      )
      await page.getByText('16 of 16 runs measured').waitFor()
      await page.getByText('The figures as a table').click()
      await page.locator('.compare table', { hasText: '3(n-1)' }).waitFor()
      // By their titles, in both.
      await page.locator('.compare table', { hasText: 'Raymond tree' }).waitFor()
      await page.locator('.chart svg', { hasText: 'Raymond tree' }).first().waitFor()
    })

    test('a structure is edited, and the theorem says at once what it broke', async () => {
      const page = await opened('#/structures', '.structure-matrix')
      await page.getByRole('heading', { name: '✓ Guarantees mutual exclusion' }).waitFor()
      await page.getByRole('button', { name: '0 to 1: asks', exact: true }).click()
      await page.getByRole('button', { name: '0 to 1: asks and tells', exact: true }).click()
      await page.getByRole('heading', { name: '✗ Does not guarantee mutual exclusion' }).waitFor()
      await page.getByText('condition a fails for nodes 0 and 1').waitFor()
      await page.reload()
      await page.getByText('condition a fails for nodes 0 and 1').waitFor()
    })

    test('a better structure is designed, and used', LONG, async () => {
      const page = await opened('#/structures?structure=ricart-agrawala&nodes=4', '.structure-designer')
      await page.getByRole('button', { name: 'Design' }).click()
      await page.getByRole('button', { name: 'Use designed' }).click()
      await page.waitForFunction(() => /structure=\d/.test(window.location.hash))
    })

    test('a page that no mesh serves says how to get one', async () => {
      const page = await opened('#/live', '.live h1')
      await page.getByText('npx turnwise up').waitFor()
    })
  },
  // A plain web server has no mesh to show, and the browser says that it found none.
  { provokes: /404|EventSource/ },
)
