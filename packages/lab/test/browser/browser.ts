import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Where Debian and others put it; playwright-core brings no browser. The first has no windows, and needs half of the processor time of the others. */
const PLACES = [
  process.env['TURNWISE_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** For whatever is waited for on a page, however busy the machine is. */
const DEADLINE = 120_000

const PAGE = fileURLToPath(new URL('../../dist/page/', import.meta.url))

/** Why the page cannot be tried here, or null. With TURNWISE_BROWSER_REQUIRED=1 that is an error. */
export function obstacle(): string | null {
  const browser = PLACES.find((path) => path !== undefined && existsSync(path))
  const why =
    browser === undefined
      ? 'no chromium was found: apt-get install chromium-headless-shell'
      : existsSync(join(PAGE, 'index.html'))
        ? null
        : 'the page is not built: npm run build'
  if (why !== null && process.env['TURNWISE_BROWSER_REQUIRED'] === '1') throw new Error(why)
  return why
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** A folder, such as the built page, behind a port of its own. */
async function serve(
  root: string,
  network: { isDown: boolean },
): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    if (network.isDown) return void request.socket.destroy()
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path)
    readFile(file).then(
      (contents) => {
        response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
        response.end(contents)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready)
  })
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

export interface Lab {
  /** Opens the page at this fragment of its address, or another address; whatever it complains of on its console fails the test. */
  open(fragment: string, options?: PageOptions): Promise<Page>
  /** Where it is served. */
  readonly address: string
  /** A test can let the server answer nobody. */
  readonly network: { isDown: boolean }
  /** Complaints of all pages so far. */
  readonly complaints: string[]
  /** After each test: a run that plays goes on in a page that nobody looks at. */
  closePages(): Promise<void>
  close(): Promise<void>
}

interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
  readonly motion?: 'reduce' | 'no-preference'
  /** Whether the browser keeps the page for later. It has a window of its own then. */
  readonly offline?: boolean
  /** In a window of its own: no other page notices what a test does to the clock, and nothing was loaded before. */
  readonly apart?: boolean
}

async function launch(): Promise<Browser> {
  const executablePath = PLACES.find((path) => path !== undefined && existsSync(path))
  return chromium.launch({ args: ARGUMENTS, ...(executablePath === undefined ? {} : { executablePath }) })
}

/** A window costs a browser twice the time of a page in it. */
interface Shared {
  readonly browser: Browser
  readonly window: BrowserContext
}

let shared: Promise<Shared> | null = null

/** For all test files that this process runs. It ends with the process. */
export function sharedBrowser(): Promise<Shared> {
  shared ??= (async () => {
    const browser = await launch()
    browser.on('disconnected', () => {
      shared = null
    })
    const window = await browser.newContext({ serviceWorkers: 'block' })
    // A window goes with its last page.
    await window.newPage()
    return { browser, window }
  })()
  return shared
}

/** The next page finds nothing that an earlier one wrote. */
async function forget(page: Page, address: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: new URL(address).origin, storageTypes: 'all' })
  await session.detach()
}

/** Without what is shared, it has a browser of its own, and each page a window. */
export async function openLab(root = PAGE, common?: Shared): Promise<Lab> {
  const network = { isDown: false }
  const { server, address } = await serve(root, network)
  const browser = common?.browser ?? (await launch())
  const complaints: string[] = []
  const pages = new Set<Page>()
  const closePages = async () => {
    await Promise.all([...pages].map((page) => close(page, common?.window)))
    pages.clear()
  }
  return {
    address,
    network,
    complaints,
    closePages,
    async open(fragment, { width = 1440, height = 900, ...options } = {}) {
      const { scheme = 'light', motion = 'reduce', offline = false, apart = offline } = options
      const serviceWorkers = offline ? 'allow' : 'block'
      const window =
        common === undefined || apart ? await browser.newContext({ serviceWorkers }) : common.window
      const page = await window.newPage()
      pages.add(page)
      page.setDefaultTimeout(DEADLINE)
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: motion })
      if (window === common?.window) await forget(page, address)
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await page.goto(new URL(fragment, address).href)
      return page
    },
    async close() {
      if (common === undefined) await browser.close()
      else await closePages()
      await new Promise((closed) => {
        server.close(closed)
        server.closeAllConnections()
      })
    },
  }
}

/** With its window, unless others have pages in it. */
async function close(page: Page, window: BrowserContext | undefined): Promise<void> {
  await (page.context() === window ? page.close() : page.context().close())
}

/**
 * The theatre shows a run, and as a whole. A run comes in parts: until its last one is there, it may stand at an earlier step than its address
 * names, and what is never going to happen is not told yet.
 */
export async function shown(page: Page): Promise<Page> {
  await page.locator('.topology [data-node]').first().waitFor()
  await page.locator('.scrub[data-whole=true]').waitFor()
  return page
}

/** What axe finds in the page as it is, of what keeps people out. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(async () => {
    const { axe: tool } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await tool.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
  })
}
