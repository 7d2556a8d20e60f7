import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

inBrowser('a live mesh in a browser', (lab) => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-live-'))
  let mesh: Program
  let url = ''
  beforeAll(async () => {
    // Real processes that take turns.
    const line = `up --nodes 3 --lease 2s --for 10m --allow-faults --record ${join(directory, 'run')}`
    mesh = new Program([INSTALLED, ...line.split(' ')])
    url = get(await mesh.says(/page: (\S+)/), 1)
    await mesh.says(/view \d+:/)
  })
  afterAll(async () => {
    mesh.kill('SIGTERM')
    await mesh.ended
    rmSync(directory, { recursive: true })
  })

  test('a node is killed from the page, and goes', async () => {
    const page = await lab.open(url)
    await page.getByText(/View \d+: a, b, c take turns by Token with its queue/).waitFor()
    await page.locator('.live-holder').first().waitFor()
    const b = page.getByRole('article', { name: 'Node b' })
    await b.getByRole('button', { name: 'kill' }).click()
    await page.getByText(/View \d+: a, c take turns/).waitFor()
    await expect.poll(() => b.getAttribute('data-in')).toBe('false')
    await b.filter({ hasText: 'killed' }).waitFor()
    await page.getByText('b is killed with kill -9').waitFor()
  })

  test('a recording opens in the theatre, as far as it has got', async () => {
    const page = await lab.open(url)
    await page.getByRole('button', { name: 'Open orders in the theatre' }).click()
    await page.waitForFunction(() => window.location.hash.startsWith('#/theatre?trace='))
    await page.locator('.topology [data-node]').first().waitFor()
    await expect.poll(() => page.locator('.topology [data-node]').count()).toBe(3)
    expect(await page.locator('.field.algorithm select').inputValue()).toBe('token-queue')
    // It opens at the end, where those who still run are seen.
    const position = async () => parseInt(await page.locator('.transport-count').innerText(), 10)
    await expect.poll(position).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Back to the last entry' }).click()
    await page.locator('.sentence p', { hasText: 'enters' }).first().waitFor()
    expect(await page.locator('.chip.fails').count()).toBe(0)
  })

  test(
    'nodes that meet at a place: where that is, and a recording in which they have their names',
    LONG,
    async () => {
      const run = `--record ${join(directory, 'met')}`
      const line = `up --at ${join(directory, 'l')} --nodes 2 --for 10m ${run}`
      const met = new Program([INSTALLED, ...line.split(' ')])
      try {
        const address = get(await met.says(/page: (\S+)/), 1)
        await met.says(/view \d+: (a b|b a)/)
        const page = await lab.open(address)
        await page.getByText(`The members meet at ${join(directory, 'l')}, which answers.`).waitFor()
        await page.locator('.live-holder').first().waitFor()
        await page.getByRole('button', { name: 'Open orders in the theatre' }).click()
        await page.locator('.topology [data-node]').first().waitFor()
        await expect.poll(() => page.locator('.topology [data-node]').count()).toBe(2)
        expect(await page.locator('.chip.fails').count()).toBe(0)
      } finally {
        met.kill('SIGTERM')
        await met.ended
      }
    },
  )

  test('on a phone the bar is one line, and a button with the name of the room has the others', async () => {
    const page = await lab.open(url, { width: 390, height: 844 })
    const button = page.getByRole('button', { name: 'Live' })
    await button.waitFor()
    expect((await page.locator('.bar').boundingBox())?.height).toBeLessThanOrEqual(50)
    await button.click()
    await page.getByRole('link', { name: 'Live' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('link', { name: 'Live' }).count()).toBe(0)
    await button.click()
    await page.getByRole('link', { name: 'Structures' }).click()
    await page.getByRole('button', { name: 'Structures' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Live' }).count()).toBe(0)
  })

  for (const [window, options] of [
    ['wide and light', { width: 1440, height: 900, scheme: 'light' }],
    ['a dark phone', { width: 390, height: 844, scheme: 'dark' }],
  ] as const) {
    test(`axe finds nothing serious, and nothing is too wide: ${window}`, LONG, async () => {
      const page = await lab.open(url, options)
      await page.locator('.live-holder').first().waitFor()
      expect(await seriousFindings(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        options.width,
      )
    })
  }
})
