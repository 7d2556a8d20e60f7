import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const SMALL = { width: 1024, height: 768 }

/** Both runs are there, as a whole. */
async function both(page: Page): Promise<Page> {
  await page.locator('.scrub[data-whole=true]').waitFor()
  expect(await page.locator('.two-run canvas').count()).toBe(2)
  return page
}

const cursors = (page: Page) =>
  page
    .locator('.two-run .time-cursor')
    .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().x))

inBrowser('two runs on one axis of time', (lab) => {
  test('a second algorithm is chosen, gets the same requests, and both go step by step together', async () => {
    const page = await lab.open('#/theatre?nodes=4&at=3', SMALL)
    await page.locator('.topology [data-node]').first().waitFor()
    await page.getByRole('button', { name: 'Compare with…' }).click()
    await page.getByRole('combobox', { name: 'Or any algorithm' }).selectOption('suzuki-kasami')
    await both(page)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const told = page.locator('.told p')
    expect((await told.allInnerTexts()).map((text) => text.split(';')[0])).toEqual([
      'Node 2 asks',
      'Node 2 asks',
    ])
    await page.keyboard.press('End')
    const [first, second] = await page.locator('.tallies tbody tr').allInnerTexts()
    // Two messages for each of the other three nodes, at every entry.
    expect(first).toMatch(/^Ricart-Agrawala\s+18 \/ 18\s+3 \/ 3\s+6\.00/)
    expect(second).toMatch(/^Suzuki-Kasami\s.*3 \/ 3/)
    const [left, right] = await cursors(page)
    expect(left).toBe(right)
    expect(await seriousFindings(page)).toEqual([])
    for (const part of ['.two-run >> nth=1', '.tallies', '.find-button']) {
      const box = await page.locator(part).boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0), part).toBeLessThanOrEqual(1024)
      expect((box?.y ?? 0) + (box?.height ?? 0), part).toBeLessThanOrEqual(768)
    }

    await page.waitForFunction(() => /beside=suzuki-kasami&at=\d+/.test(window.location.hash))
    const again = await both(await lab.open(new URL(page.url()).hash))
    expect(await again.locator('.tallies').innerText()).toBe(await page.locator('.tallies').innerText())
    // What is looked for is lit in both.
    await again.keyboard.press('/')
    await again.locator('.find-row input:focus').waitFor()
    await again.keyboard.type('token')
    await again.locator('.find-row output', { hasText: /steps$/ }).waitFor()
    await again.keyboard.press('Escape')

    await page.getByRole('combobox', { name: 'Compared with' }).selectOption('raymond')
    await page.getByRole('region', { name: 'Raymond tree' }).waitFor()
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.locator('.topology [data-node]').first().waitFor()
    expect(page.url()).not.toContain('beside')
  })

  test('a broken rule beside the right one: where they part is shown, told and marked in both', async () => {
    const words = 'load=heavy&latency=constant:1&algorithm=ricart-agrawala-without-tie-break'
    const page = await lab.open(`#/theatre?${words}&at=0`, SMALL)
    await page.getByRole('button', { name: 'Compare with the right rule' }).click()
    await both(page)
    const note = page.locator('.difference')
    await note.getByText(/^The runs part at step 6, at 1\.000: .*Node 0 keeps its reply/).waitFor()
    expect(await note.innerText()).toContain('The first violates exclusion')
    await page.locator('.transport-count', { hasText: /^6\// }).waitFor()
    expect(await page.locator('.two-run .ring circle').count()).toBe(2)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('End')
    await page.keyboard.press('d')
    await page.locator('.transport-count', { hasText: /^6\// }).waitFor()
  })

  test('a branch beside the run it left', async () => {
    const page = await lab.open('#/theatre?at=4', SMALL)
    await page.locator('.topology [data-node="0"]').click()
    await page.getByRole('menuitem', { name: 'Crash', exact: true }).click()
    await page.getByRole('button', { name: 'Compare with the run it left' }).click()
    await both(page)
    await page.locator('.difference', { hasText: 'in the first, node 0 crashes' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, with one hand' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala', exact: true }).waitFor()
  })

  test('in a page of others: both pictures, the controls and the figures', async () => {
    const page = await both(
      await lab.open('?embed=1#/theatre?beside=lamport&at=9', { width: 700, height: 520 }),
    )
    await page.getByRole('link', { name: 'Open in turnwise' }).waitFor()
    expect(await page.locator('.settings-row').filter({ visible: true }).count()).toBe(0)
    const box = await page.locator('.tallies').boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(520)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('what cannot be compared is told in one line', async () => {
    const page = await lab.open('#/theatre?beside=maekava')
    expect(await page.getByRole('alert').innerText()).toContain('did you mean maekawa')
  })
})
