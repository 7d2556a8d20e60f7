import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const RECORDS = fileURLToPath(new URL('../records/', import.meta.url))
const PARTS = readdirSync(RECORDS).map((file) => `${RECORDS}${file}`)

const card = (page: Page, node: number) => page.locator('.cards .card').nth(node)
const hash = (page: Page) => page.evaluate(() => window.location.hash)

inBrowser('records in a browser', (lab) => {
  test('the parts of a mesh show the variables of its nodes, view by view', async () => {
    const page = await lab.open('#/theatre')
    await page.locator('input.opens').setInputFiles(PARTS)
    await page.getByText('View 3 of 3 nodes.').waitFor()
    await card(page, 0).filter({ hasText: 'LAST' }).waitFor()
    await page.getByRole('button', { name: 'Back to the last entry' }).click()
    await page.locator('.sentence p', { hasText: 'enters' }).first().waitFor()
    // Who has just been let in has the token, and that is what changed.
    await page.locator('.card.active .changed').first().waitFor()
    await page.locator('.chip.holds', { hasText: 'One token' }).waitFor()
    // In the second view b is dead.
    await page.getByRole('slider', { name: 'Event' }).fill('40')
    await page.getByText('View 2 of 2 nodes.').waitFor()
    await expect.poll(() => card(page, 1).innerText()).not.toContain('LAST')
    await page.locator('.chip.open', { hasText: 'the record does not show node 1' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  test('of one part only its own node is told, and the page says so', LONG, async () => {
    const page = await lab.open('#/theatre')
    await page.locator('input.opens').setInputFiles(PARTS.slice(0, 1))
    await page.getByText('There is no record of this node.').first().waitFor()
    await card(page, 0).filter({ hasText: 'LAST' }).waitFor()
    await page.locator('.refused', { hasText: 'there is no part of node 1 (b)' }).waitFor()
    await page.locator('.chip.open', { hasText: 'may have the token' }).waitFor()
  })

  test('a file that is no trace is refused in one line, and what was shown stays', async () => {
    const page = await lab.open('#/theatre?algorithm=lamport&nodes=4&at=5')
    await page.locator('.topology [data-node]').nth(3).waitFor()
    const before = await hash(page)
    await page
      .locator('input.opens')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('not a trace\n') })
    const told = page.getByRole('alert')
    await told.waitFor()
    expect(await told.innerText()).toBe(
      '"notes.txt": line 1 is not a JSON object. A trace is what turnwise simulate --trace and turnwise check --trace write, and what a mesh records',
    )
    expect(await page.locator('.topology [data-node]').count()).toBe(4)
    expect(await hash(page)).toBe(before)
    // And one that is a trace takes the complaint away.
    await page.locator('input.opens').setInputFiles(PARTS)
    await page.getByText('View 3 of 3 nodes.').waitFor()
    await told.waitFor({ state: 'detached' })
    await page.goBack()
    await page.locator('.topology [data-node]').nth(3).waitFor()
  })

  test('a late write of the moment does not undo a change of the address', LONG, async () => {
    const page = await lab.open('#/theatre?algorithm=lamport&nodes=4&at=5')
    await page.locator('.topology [data-node]').nth(3).waitFor()
    const after = await page.evaluate(async () => {
      const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))
      await passed(50)
      // As when the browser goes back: the address is another one, and the page hears of it later.
      window.history.pushState(null, '', '#/theatre?algorithm=raymond&nodes=5')
      // Timers fire in order, so the one that writes the moment fires before this one.
      await passed(1000)
      return window.location.hash
    })
    await page.locator('input[aria-label="Event"][aria-valuetext^="6 of"]').waitFor()
    expect(after).toBe('#/theatre?algorithm=raymond&nodes=5')
  })
})
