import { readFileSync } from 'node:fs'
import { readTrace } from '@turnwise/core/trace/trace'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

/** Presses a button of *Save as*. */
async function saved(page: Page, name: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  const file = readFileSync(await download.path())
  return { name: download.suggestedFilename(), file, text: file.toString() }
}

/** How wide the browser draws a picture. */
function widthOf(page: Page, svg: string): Promise<number> {
  return page.evaluate(async (svgText) => {
    const image = new Image()
    image.src = `data:image/svg+xml,${encodeURIComponent(svgText)}`
    await image.decode()
    return image.naturalWidth
  }, svg)
}

/** The id of EBML's header (RFC 8794), with which a film begins. */
const EBML = '1a45dfa3'

inBrowser('save as', (lab) => {
  test('a run leaves as a trace, and its diagram as it is seen', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=9'))
    await page.getByRole('button', { name: 'Save as' }).click()
    const save = (name: string) => saved(page, name)
    const trace = await save('Trace')
    expect(trace.name).toBe('ricart-agrawala.jsonl')
    expect(readTrace(trace.text).header.nodes).toBe(3)
    const svg = await save('Diagram (SVG)')
    const seen = await page.locator('.spacetime').boundingBox()
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg.text) ?? []
    expect(Number(width)).toBeCloseTo(seen?.width ?? 0, 0)
    expect(Number(height)).toBeCloseTo(seen?.height ?? 0, 0)
    expect(await widthOf(page, svg.text)).toBeCloseTo(seen?.width ?? 0, -1)
    const network = await save('Network (SVG)')
    expect(network.name).toBe('ricart-agrawala.network.svg')
    const drawn = await page.locator('.topology').boundingBox()
    expect(await widthOf(page, network.text)).toBeCloseTo(drawn?.width ?? 0, -1)
    expect(await widthOf(page, (await save('Both (SVG)')).text)).toBe(860)
    expect((await save('Network (TikZ)')).text).toContain('\\begin{tikzpicture}')
    expect((await save('Both (TikZ)')).name).toBe('ricart-agrawala.both.tex')
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('.later-box').waitFor({ state: 'detached' })
  })

  test('two runs leave together: in pictures, in words, and as a film', LONG, async () => {
    const page = await lab.open('#/theatre?beside=lamport&at=9', { width: 1024, height: 768 })
    await page.locator('.two-playing .scrub[data-whole=true]').waitFor()
    await page.getByLabel('Speed').selectOption('64')
    await page.getByRole('button', { name: 'This run' }).click()
    await page.getByRole('button', { name: 'Save as' }).click()
    const both = await saved(page, 'Both runs (SVG)')
    expect(both.name).toBe('ricart-agrawala-and-lamport.both.svg')
    expect(await widthOf(page, both.text)).toBe(860)
    expect(both.text.match(/class="node /g)).toHaveLength(6)
    // As wide as they are seen, and one axis of time.
    const seen = await page.locator('.two-run .spacetime').first().boundingBox()
    const diagrams = await saved(page, 'Diagrams (SVG)')
    expect(await widthOf(page, diagrams.text)).toBeCloseTo(seen?.width ?? 0, -1)
    expect(diagrams.text).toContain('>Lamport</text>')
    expect((await saved(page, 'Networks (TikZ)')).text).toContain('\\begin{tikzpicture}')
    const trace = await saved(page, 'Trace of the second')
    expect(trace.name).toBe('ricart-agrawala-and-lamport.second.jsonl')
    expect(readTrace(trace.text).header.algorithm).toBe('lamport')
    expect(await seriousFindings(page)).toEqual([])
    await page.getByLabel('to step').fill('6')
    const film = await saved(page, 'Film (WebM)')
    expect(film.name).toBe('ricart-agrawala-and-lamport.webm')
    expect(film.file.subarray(0, 4).toString('hex')).toBe(EBML)
  })

  test(
    'a run leaves as a film that plays; recording goes on while its box is closed, and can be cancelled',
    LONG,
    async () => {
      const page = await shown(await lab.open('#/theatre?at=0'))
      // So slow that it does not end while we look.
      await page.getByLabel('Speed').selectOption('0.25')
      await page.getByRole('button', { name: 'Save as' }).click()
      await page.getByRole('button', { name: 'Film (WebM)' }).click()
      await page.getByText(/^Filming: 0:0[1-9] of/).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Save as' }).click()
      await page.getByText(/^Filming: 0:/).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Film (WebM)' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByLabel('Speed').selectOption('64')
      await page.getByRole('button', { name: 'Save as' }).click()
      const length = page.getByText(/ long at the speed of the theatre/)
      await length.filter({ hasText: /^0:02/ }).waitFor()
      await page.getByLabel('from step').fill('4')
      await page.getByLabel('to step').fill('4')
      await page.getByText('It must end after it begins.').waitFor()
      expect(await page.getByRole('button', { name: 'Film (WebM)' }).isDisabled()).toBe(true)
      await page.getByLabel('to step').fill('14')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Film (WebM)' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('ricart-agrawala.webm')
      const file = readFileSync(await download.path())
      expect(file.subarray(0, 4).toString('hex')).toBe(EBML)
      const seen = await page.evaluate(watch, file.toString('base64'))
      expect(seen).toMatchObject({ videoWidth: 860, videoHeight: 642 })
      expect(seen.duration).toBeGreaterThan(1)
      expect(Number.isFinite(seen.duration)).toBe(true)
      expect(seen.currentTime).toBeGreaterThan(1)
      expect(seen.colours).toBeGreaterThan(100)
    },
  )
})

/** Plays a film in the page to its end, and tells what was seen. */
async function watch(text: string) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const video = document.createElement('video')
  video.muted = true
  const isThere = (event: string) =>
    new Promise((resolve, reject) => {
      video.addEventListener(event, resolve, { once: true })
      video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true })
    })
  const loaded = isThere('loadeddata')
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }))
  await loaded
  const ended = isThere('ended')
  await video.play()
  await ended
  const { videoWidth, videoHeight, duration, currentTime } = video
  // Every colour of a picture: a black one would have one.
  const canvas = new OffscreenCanvas(videoWidth, videoHeight)
  const context = canvas.getContext('2d')
  context?.drawImage(video, 0, 0)
  const { data } = context?.getImageData(0, 0, videoWidth, videoHeight) ?? { data: [] }
  const colours = new Set<number>()
  for (let i = 0; i < data.length; i += 4)
    colours.add((data[i] ?? 0) * 65536 + (data[i + 1] ?? 0) * 256 + (data[i + 2] ?? 0))
  return { videoWidth, videoHeight, duration, currentTime, colours: colours.size }
}
