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
    const svg = await save('Diagram (SVG)')
    const seen = await page.locator('.spacetime').boundingBox()
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg.text) ?? []
    expect(Number(width)).toBeCloseTo(seen?.width ?? 0, 0)
    expect(Number(height)).toBeCloseTo(seen?.height ?? 0, 0)
    const widthOf = (text: string) =>
      page.evaluate(async (svgText) => {
        const image = new Image()
        image.src = `data:image/svg+xml,${encodeURIComponent(svgText)}`
        await image.decode()
        return image.naturalWidth
      }, text)
    expect(await widthOf(svg.text)).toBeCloseTo(seen?.width ?? 0, -1)
    const network = await save('Network (SVG)')
    expect(network.name).toBe('ricart-agrawala.network.svg')
    const drawn = await page.locator('.topology').boundingBox()
    expect(await widthOf(network.text)).toBeCloseTo(drawn?.width ?? 0, -1)
    expect(await widthOf((await save('Both (SVG)')).text)).toBe(860)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.locator('.later-box').count()).toBe(0)
  })

  test('a run leaves as a film that plays; recording goes on while its box is closed, and can be cancelled', async () => {
    const page = await lab.open('#/theatre?at=0')
    await page.locator('.topology [data-node]').first().waitFor()
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
    // The id of EBML's header (RFC 8794).
    expect(file.subarray(0, 4).toString('hex')).toBe('1a45dfa3')
    const seen = await page.evaluate(watch, file.toString('base64'))
    expect(seen).toMatchObject({ videoWidth: 860, videoHeight: 642 })
    expect(seen.duration).toBeGreaterThan(1)
    expect(Number.isFinite(seen.duration)).toBe(true)
    expect(seen.currentTime).toBeGreaterThan(1)
    expect(seen.colours).toBeGreaterThan(100)
  })
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
