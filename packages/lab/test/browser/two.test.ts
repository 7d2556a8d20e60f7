import { writeTraceLine } from '@turnwise/core/trace/trace'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { FIRST } from '../../src/rooms/theatre/theatre-query.ts'
import { type Hand, readHands } from '../../src/run/hand.ts'
import type { RunSpec } from '../../src/run/spec.ts'
import { watched } from '../runs.ts'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const SMALL = { width: 1024, height: 768 }

/** Both runs are there, as a whole. */
async function both(page: Page): Promise<Page> {
  await page.locator('.two-playing .scrub[data-whole=true]').waitFor()
  await expect.poll(() => page.locator('.two-run canvas').count()).toBe(2)
  return page
}

const cursors = (page: Page) =>
  page
    .locator('.two-run .time-cursor')
    .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().x))

/** A file such as *Save as* writes. */
function watchedTrace(changes: Partial<RunSpec> = {}, hands: readonly Hand[] = []) {
  const { header, events } = watched({ ...FIRST, ...changes }, hands).recording
  const text = [header, ...events].map(writeTraceLine).join('')
  return { name: 'run.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) }
}

inBrowser('two runs on one axis of time', (lab) => {
  test('a second algorithm is chosen, gets the same requests, and both go step by step together', async () => {
    const page = await lab.open('#/theatre?nodes=4&at=3', SMALL)
    await page.locator('.topology [data-node]').first().waitFor()
    await page.getByRole('button', { name: 'This run' }).click()
    await page.getByRole('button', { name: 'Compare with…' }).click()
    await page.getByRole('combobox', { name: 'Or any algorithm' }).selectOption('suzuki-kasami')
    await both(page)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const told = async () => (await page.locator('.told p').allInnerTexts()).map((text) => text.split(';')[0])
    await expect.poll(told).toEqual(['Node 2 asks', 'Node 2 asks'])
    await page.keyboard.press('End')
    const costs = page.locator('.tallies tbody tr')
    // Two messages for each of the other three nodes, at every entry.
    await expect.poll(() => costs.first().innerText()).toMatch(/^Ricart-Agrawala\s+18 \/ 18\s+3 \/ 3\s+6\.00/)
    await expect.poll(() => costs.last().innerText()).toMatch(/^Suzuki-Kasami\s.*3 \/ 3/)
    const [left, right] = await cursors(page)
    expect(left).toBe(right)
    expect(await seriousFindings(page)).toEqual([])
    for (const part of ['.two-run >> nth=1', '.tallies', '.find-button']) {
      const box = await page.locator(part).boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0), part).toBeLessThanOrEqual(1024)
      expect((box?.y ?? 0) + (box?.height ?? 0), part).toBeLessThanOrEqual(768)
    }

    // The end, and not a moment before: the address follows when a moment has rested.
    const [end] = (await page.locator('.transport-count').innerText()).split('/')
    await page.waitForFunction(
      (last) => window.location.hash.endsWith(`beside=suzuki-kasami&at=${last}`),
      end?.trim(),
    )
    const again = await both(await lab.open(new URL(page.url()).hash))
    const figures = await page.locator('.tallies').innerText()
    await expect.poll(() => again.locator('.tallies').innerText()).toBe(figures)
    // What is looked for is lit in both.
    await again.keyboard.press('/')
    await again.locator('.find-row input:focus').waitFor()
    await again.keyboard.type('token')
    await again.locator('.find-row output', { hasText: /steps$/ }).waitFor()
    await again.keyboard.press('Escape')

    await page.getByRole('combobox', { name: 'Compared with' }).selectOption('raymond')
    await page.getByRole('region', { name: 'Raymond tree' }).waitFor()
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.locator('.two-playing').waitFor({ state: 'detached' })
    await page.locator('.topology [data-node]').first().waitFor()
    expect(page.url()).not.toContain('beside')
  })

  test(
    'a broken rule beside the right one: where they part is shown, told and marked in both',
    LONG,
    async () => {
      const words = 'load=heavy&latency=constant:1&algorithm=ricart-agrawala-without-tie-break'
      const page = await lab.open(`#/theatre?${words}&at=0`, SMALL)
      await page.getByRole('button', { name: 'Compare with the right rule' }).click()
      await both(page)
      const note = page.locator('.difference')
      await note.getByText(/^The runs part at step 6, at 1\.000: .*Node 0 keeps its reply/).waitFor()
      await note.filter({ hasText: 'The first violates a property (mutual exclusion)' }).waitFor()
      await page.locator('.transport-count', { hasText: /^6\// }).waitFor()
      await expect.poll(() => page.locator('.two-run .ring circle').count()).toBe(2)
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('End')
      await page.locator('.transport-count', { hasText: /^(?!6\/)/ }).waitFor()
      await page.keyboard.press('d')
      await page.locator('.transport-count', { hasText: /^6\// }).waitFor()
    },
  )

  test('a branch beside the run it left', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=4', SMALL))
    await page.locator('.topology [data-node="0"]').click()
    await page.getByRole('menuitem', { name: 'Crash', exact: true }).click()
    await page.getByRole('button', { name: 'Compare with the run it left' }).click()
    await both(page)
    await page.locator('.difference', { hasText: 'in the first, node 0 crashes' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, with one action by hand' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala', exact: true }).waitFor()
  })

  test('the panel and the hands are those of the chosen run', LONG, async () => {
    const page = await both(await lab.open('#/theatre?beside=lamport&at=6', SMALL))
    const panel = page.getByRole('complementary', { name: 'This moment' })
    await panel.getByText('Ricart-Agrawala').waitFor()
    await page.keyboard.press('o')
    await panel.getByText('Lamport', { exact: true }).waitFor()
    const second = page.locator('.two-run').nth(1)
    await second.locator('[data-node="1"]').click()
    await page.getByRole('menuitem', { name: 'Crash', exact: true }).click()
    await page.getByRole('region', { name: 'Lamport, with one action by hand' }).waitFor()
    await second.locator('.told', { hasText: 'Node 1 crashes' }).waitFor()
    await page.waitForFunction(() => /beside=lamport;hands:[^&]*crash\.1/.test(window.location.hash))
    // The first goes on as it did, and can be chosen by its name.
    await page.getByRole('button', { name: 'Ricart-Agrawala', exact: true }).click()
    expect(await panel.locator('.card.crashed, .badge.crashed').count()).toBe(0)
    await page.getByRole('tab', { name: 'Next' }).click()
    await panel.getByRole('button', { name: 'Node 0: give up' }).click()
    await page.getByRole('region', { name: 'Ricart-Agrawala, with one action by hand' }).waitFor()
    await page.locator('.two-run').first().locator('.told', { hasText: 'Node 0 withdraws' }).waitFor()
  })

  test('a recorded run beside the same rules, played here, and beside another', LONG, async () => {
    // Some of the requests share: the record says so, and they share again when it is played here.
    // Hands were laid on it, too, and are laid on it again.
    const hands = readHands('6@3000000.pause.2,14@9000000.resume.2')
    const run = watchedTrace({ load: 'heavy', entries: 9, readers: 0.5 }, hands)
    const page = await lab.open('#/theatre', SMALL)
    await page.locator('input.opens').setInputFiles(run)
    // Until the file is read, another run plays.
    await page.waitForFunction(() => window.location.hash.startsWith('#/theatre?trace='))
    await page.locator('.transport-count', { hasText: /[1-9]/ }).waitFor()
    await page.getByRole('button', { name: 'This run' }).click()
    await page.getByRole('button', { name: 'Compare with…' }).click()
    await page.getByRole('button', { name: 'The same, played here' }).click()
    await both(page)
    await page.getByText('Both runs are the same, step by step.').waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, recorded, with 2 actions by hand' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, with 2 actions by hand' }).waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+ArrowRight')
    const sharing = page.locator('.two-run .node.sharing', { hasText: 'shared' })
    await expect.poll(() => sharing.count()).toBeGreaterThan(0)
    expect((await sharing.count()) % 2).toBe(0)
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.getByRole('button', { name: 'This run' }).click()
    await page.getByRole('button', { name: 'Compare with…' }).click()
    const files = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'A recorded run…' }).click()
    await (await files).setFiles(watchedTrace({ seed: 5 }))
    await both(page)
    await page.locator('.difference', { hasText: 'The runs part at step' }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, recorded', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Ricart-Agrawala, recorded, with 2 actions by hand' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    // Nothing can be changed in it.
    await page.locator('.two-run [data-node="0"]').first().click()
    await page.getByText('This is a recording, so nothing can be changed.').waitFor()
  })

  test('in a page of others: both pictures, the controls and the figures', LONG, async () => {
    const page = await both(
      await lab.open('?embed=1#/theatre?beside=lamport&at=9', { width: 700, height: 520 }),
    )
    await page.getByRole('link', { name: 'Open in turnwise' }).waitFor()
    expect(await page.locator('.settings-row').filter({ visible: true }).count()).toBe(0)
    const box = await page.locator('.tallies').boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(520)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('what cannot be compared is told in one line', LONG, async () => {
    const page = await lab.open('#/theatre?beside=maekava')
    expect(await page.getByRole('alert').innerText()).toContain('did you mean maekawa')
  })
})
