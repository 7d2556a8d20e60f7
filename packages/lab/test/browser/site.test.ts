import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeSite } from '../../../../scripts/site/write.ts'
import { LONG } from '../../../../test/extent.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'turnwise-site-'))

inBrowser(
  'the site',
  (lab) => {
    let files: ReadonlyMap<string, string>

    beforeAll(async () => {
      // All links are looked at before anything is written.
      files = (await writeSite(folder, true)).files
    })
    afterAll(() => {
      rmSync(folder, { recursive: true })
    })

    test('has a page for each algorithm, with its run, cost, file and sources', () => {
      for (const { facts } of [...catalogue, ...elections]) {
        const html = files.get(`algorithms/${facts.name}.html`) ?? ''
        for (const part of [
          'a-run',
          'needs-and-cost',
          'checked',
          'without-an-assumption',
          'sources',
          'the-file',
        ])
          expect(html, `${facts.name}: ${part}`).toContain(`id="${part}"`)
        expect(html).toContain('class="bar waiting"')
      }
    })

    for (const [path, options, tags] of [
      ['index.html', { width: 1440, height: 900, scheme: 'light' }, LONG],
      ['algorithms/ricart-agrawala.html', { width: 1440, height: 900, scheme: 'dark' }, LONG],
      ['algorithms/raymond.html', { width: 390, height: 844, scheme: 'light' }, {}],
      ['docs/locks.html', { width: 390, height: 844, scheme: 'dark' }, LONG],
    ] as const) {
      test(`axe finds nothing serious, and nothing is wider than the window: ${path}`, tags, async () => {
        const page = await lab.open(path, options)
        expect(await seriousFindings(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          options.width,
        )
      })
    }

    test('the keyboard searches, and finds a part of a document', async () => {
      const page = await lab.open('algorithms/raymond.html')
      await page.keyboard.press('/')
      await page.keyboard.type('from writer to reader')
      await page.locator('.found a', { hasText: 'From writer to reader' }).first().waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('ArrowDown')
      const address = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href)
      await page.keyboard.press('Enter')
      await page.waitForURL(address)
    })

    test('a run leads into the lab, and the lab to the page of its algorithm', LONG, async () => {
      const page = await lab.open('algorithms/raymond.html')
      await page.getByRole('link', { name: 'Watch it step by step' }).click()
      await page.locator('.topology [data-node]').first().waitFor()
      await page.getByRole('link', { name: 'Its page' }).click()
      await page.getByRole('heading', { name: 'Raymond tree (1989)' }).waitFor()
    })
  },
  { root: folder },
)
