import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Lab, obstacle, openLab, seriousFindings } from './browser.ts'

const why = obstacle()

const sentenceOf = (page: Page) => page.locator('.sentence p').first().innerText()

async function choose(page: Page, node: number, what: string): Promise<void> {
  await page.locator(`.topology [data-node="${node}"]`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}

/** Second steps of a visitor, after what every room shows first. */
describe.runIf(why === null)(`a visitor goes on${why === null ? '' : ` (left out: ${why})`}`, () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await openLab()
  })
  afterEach(async () => {
    lab.network.isDown = false
    await lab.closePages()
  })
  afterAll(async () => {
    const isExpected =
      /Failed to fetch|dynamically imported|preload CSS|fetching the script|ERR_EMPTY_RESPONSE|ERR_CONNECTION/
    expect(lab.complaints.filter((complaint) => !isExpected.test(complaint))).toEqual([])
    await lab.close()
  })

  test('hands at the end of a run, fewer nodes than the words name', async () => {
    const page = await lab.open('#/theatre?at=1')
    await choose(page, 0, 'Crash')
    await page.locator('.node.crashed').waitFor()
    await page.keyboard.press('End')
    await page.locator('.sentence p', { hasText: 'VIOLATION' }).first().waitFor()
    await choose(page, 0, 'Restart with memory')
    await page.waitForFunction(() => document.querySelector('.node.crashed') === null)
    expect(await sentenceOf(page)).toContain('Node 0 restarts')

    await page.getByLabel('Nodes', { exact: true }).fill('2')
    await page.keyboard.press('Enter')
    await page.getByText('With 2 nodes there is no node 2: its requests are left out.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.waitForFunction(() => document.querySelectorAll('.topology [data-node]').length === 2)
    // With three nodes all three ask again.
    await page.getByLabel('Nodes', { exact: true }).fill('3')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('.topology [data-node]').length === 3)
    expect(await page.locator('.adjusted').count()).toBe(0)
  })

  test('what a step changed: the old queue in a line of its own', async () => {
    const page = await lab.open('#/theatre?algorithm=maekawa&nodes=7&load=heavy&at=40')
    const queue = page.locator('.card.active .apart')
    const [old, now] = await Promise.all(
      ['del', ':scope > .items'].map((part) => queue.locator(part).first().boundingBox()),
    )
    expect(now?.y).toBeGreaterThanOrEqual((old?.y ?? 0) + (old?.height ?? 0))
    const struck = queue.locator('del .record > span').first()
    expect(await struck.evaluate((part) => getComputedStyle(part).textDecorationLine)).toBe('line-through')
  })

  test('an unsafe structure offers its violating run, in which both who are inside are red', async () => {
    const page = await lab.open('#/theatre?algorithm=sanders&nodes=3&structure=figure-3a&at=0')
    await page.getByText('This structure does not guarantee mutual exclusion:').waitFor()
    await page.getByRole('button', { name: 'Show the violating run' }).click()
    await page.locator('.chip.fails', { hasText: 'are inside together' }).waitFor()
    expect(await page.locator('.node.violating').count()).toBe(2)
    const red = page.locator('.node.violating').first()
    expect(await red.getAttribute('aria-label')).toContain('inside against the rule')
    expect(await page.locator('.chip.fails').count()).toBe(1)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('a rule of the gallery is answered in sight', async () => {
    const page = await lab.open('#/check')
    await page.locator('.check-gallery button').last().click()
    const verdict = page.getByRole('heading', { name: '✗ A property fails' })
    await verdict.waitFor()
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('.check-result h2')?.getBoundingClientRect() ?? {}
      return top >= 0 && top < window.innerHeight
    })
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('check-outcome')
  })

  test('a room that cannot be loaded leaves the others, and a page that was kept needs no server', async () => {
    const page = await lab.open('#/theatre?at=1')
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
  })
})
