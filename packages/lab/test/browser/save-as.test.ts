import { readFileSync } from 'node:fs'
import { readTrace } from '@turnwise/core/trace/trace'
import { expect, test } from 'vitest'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

inBrowser('save as', (lab) => {
  test('a run leaves as a trace, and its diagram as it is seen', async () => {
    const page = await lab.open('#/theatre?at=9')
    await page.locator('.topology [data-node]').first().waitFor()
    await page.getByRole('button', { name: 'Save as' }).click()
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ])
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
    }
    const trace = await save('Trace')
    expect(trace.name).toBe('ricart-agrawala.jsonl')
    expect(readTrace(trace.text).header.nodes).toBe(3)
    const svg = await save('SVG')
    const seen = await page.locator('.spacetime').boundingBox()
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg.text) ?? []
    expect(Number(width)).toBeCloseTo(seen?.width ?? 0, 0)
    expect(Number(height)).toBeCloseTo(seen?.height ?? 0, 0)
    const isDrawn = await page.evaluate(async (text) => {
      const image = new Image()
      image.src = `data:image/svg+xml,${encodeURIComponent(text)}`
      await image.decode()
      return image.naturalWidth > 0
    }, svg.text)
    expect(isDrawn).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.locator('.later-box').count()).toBe(0)
  })
})
