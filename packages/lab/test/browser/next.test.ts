import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

inBrowser('what could happen next', (lab) => {
  test('a message is chosen to arrive first, and that is another branch', async () => {
    const page = await shown(await lab.open('#/theatre?at=2'))
    await page.getByRole('tab', { name: 'Next' }).click()
    const choice = page.getByRole('button', { name: 'request from 2 arrives at 1' })
    await choice.waitFor()
    expect(await seriousFindings(page)).toEqual([])
    // By itself another message arrives first.
    expect(await page.locator('.next button').first().innerText()).toMatch(/^Node 0 receives request from 1/)
    await choice.click()
    await page.getByRole('button', { name: 'deliver request 2 to 1 @2' }).waitFor()
    await page.locator('.sentence p', { hasText: 'Node 1 receives request from 2' }).first().waitFor()
    await page.waitForFunction(() => window.location.hash.includes('hands='))
  })

  test('a timer is chosen to run out now', LONG, async () => {
    const page = await lab.open('#/theatre?algorithm=bully&nodes=4&load=one&fault=crash:3@0&at=8', {
      width: 1024,
      height: 768,
    })
    await shown(page)
    await page.getByRole('tab', { name: 'Next' }).click()
    await page.getByRole('heading', { name: 'A node acts by itself' }).waitFor()
    await page.getByRole('heading', { name: 'A fault happens' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page
      .getByRole('button', { name: /^\d sees its timer/ })
      .first()
      .click()
    await page
      .locator('.sentence p', { hasText: /^Node \d sees its timer \w+ run out/ })
      .first()
      .waitFor()
    await page.waitForFunction(() => /hands=\d+@\d+\.timeout\.\d\.\w/.test(window.location.hash))
  })
})
