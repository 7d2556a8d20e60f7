import { expect, test } from 'vitest'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

inBrowser('finding steps of a run', (lab) => {
  test('by keyboard: words, matches counted and lit, from one to the next, and kept in the address', async () => {
    const page = await shown(await lab.open('#/theatre?at=0', { width: 1024, height: 768 }))
    const painted = () =>
      page.locator('.spacetime canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
    const plain = await painted()
    const play = page.getByRole('button', { name: 'Play', exact: true })
    await play.focus()
    await page.keyboard.press('/')
    const field = page.getByRole('textbox', { name: 'Find steps' })
    // At once: nothing of it is taken for a key of the theatre.
    await page.keyboard.type('Reply from 0')
    const count = page.locator('.find-row output')
    await count.filter({ hasText: /^4 steps$/ }).waitFor()
    await expect.poll(painted).not.toBe(plain)
    await page.keyboard.press('Enter')
    await count.filter({ hasText: /^1 of 4$/ }).waitFor()
    const sentence = page.locator('.sentence p').first()
    await expect.poll(() => sentence.innerText()).toMatch(/^Node 0 .*sends reply to/)
    // Out of the field, letters are keys again.
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.keyboard.press('g')
    await count.filter({ hasText: /^2 of 4$/ }).waitFor()
    await page.keyboard.press('G')
    // From a match that is not drawn yet, nothing goes on.
    await count.filter({ hasText: /^1 of 4$/ }).waitFor()
    await page.keyboard.press('G')
    await count.filter({ hasText: /^4 of 4$/ }).waitFor()
    await expect.poll(() => page.locator('.log li').count()).toBe(4)
    expect(await seriousFindings(page)).toEqual([])
    await page.waitForFunction(() => /find=Reply\+from\+0&at=\d/.test(window.location.hash))

    const again = await lab.open(new URL(page.url()).hash)
    await again.locator('.find-row output', { hasText: /^4 of 4$/ }).waitFor()
    await again.getByRole('button', { name: 'The next match' }).click()
    await again.locator('.find-row output', { hasText: /^1 of 4$/ }).waitFor()

    await field.press('Escape')
    await page.locator('.find-row').waitFor({ state: 'detached' })
    expect(await play.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.waitForFunction(() => !window.location.hash.includes('find='))
    await expect.poll(() => page.locator('.log li').count()).toBeGreaterThan(4)
  })
})
