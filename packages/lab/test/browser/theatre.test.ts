import { gzipSync } from 'node:zlib'
import { gallery } from '@turnwise/algorithms/broken/gallery'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { traceText } from '../../src/run/opened.ts'
import { play } from '../../src/run/play-whole.ts'
import { known } from '../../src/run/spec.ts'
import { specOf } from '../runs.ts'
import { seriousFindings, shown } from './browser.ts'
import { inBrowser } from './in-browser.ts'

const positionOf = async (page: Page) =>
  Number((await page.locator('.transport-count').innerText()).split('/')[0])
const sentenceOf = (page: Page) => page.locator('.sentence p').first().innerText()

async function choose(page: Page, node: number, what: string): Promise<void> {
  await page.locator(`.topology [data-node="${node}"]`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}

/** In the page: twenty frames with five reports of the bar in each. How often was another position drawn? */
function scrubbed(): Promise<{ frames: number; drawn: number }> {
  const bar = document.querySelector<HTMLInputElement>('.scrub input')
  const count = document.querySelector('.transport-count')
  if (bar === null || count === null) throw new Error('there is no bar')
  let [frames, reports, drawn] = [0, 0, 0]
  const observer = new MutationObserver((changes) => {
    drawn += changes.length
  })
  observer.observe(count, { subtree: true, characterData: true })
  return new Promise((resolve) => {
    requestAnimationFrame(function frame() {
      if (frames === 22) return resolve({ frames, drawn })
      frames += 1
      for (let i = 0; i < 5 && reports < 100; i += 1) {
        reports += 1
        // As the browser puts it, behind the back of React, which would take it for what it put itself.
        Reflect.set(HTMLInputElement.prototype, 'value', String(10 * reports), bar)
        bar.dispatchEvent(new Event('input', { bubbles: true }))
      }
      requestAnimationFrame(frame)
    })
  })
}

inBrowser('the theatre in a browser', (lab) => {
  test('opens on a run that plays, and says in words what happens', async () => {
    const page = await shown(await lab.open(''))
    expect(await page.locator('.field.algorithm select').inputValue()).toBe('ricart-agrawala')
    expect(await page.locator('.topology [data-node]').count()).toBe(3)
    // Whichever it is when we look: the run goes on meanwhile.
    await expect.poll(() => sentenceOf(page)).toMatch(/^Node \d /)
    await page.waitForFunction(
      () => !(document.querySelector('.transport-count')?.textContent ?? '0/').startsWith('0/'),
    )
    await page.keyboard.press(' ')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  })

  test('steps on and back, to entries, to the end', async () => {
    const page = await shown(await lab.open('#/theatre?at=0'))
    await expect.poll(() => sentenceOf(page)).toBe('Nothing has happened yet.')
    await page.getByRole('button', { name: 'One event forward' }).click()
    // Steps are drawn once a frame, and a frame can take long.
    await expect.poll(() => sentenceOf(page)).toBe('Node 2 asks; sends request to 0, 1.')
    await page.getByRole('button', { name: 'Forward to the next entry' }).click()
    await expect.poll(() => sentenceOf(page)).toContain('enters')
    const entry = await positionOf(page)
    await page.getByRole('button', { name: 'One event back' }).click()
    await expect.poll(() => positionOf(page)).toBe(entry - 1)
    await page.locator('.scrub input').fill('3')
    await expect.poll(() => positionOf(page)).toBe(3)
    await page.keyboard.press('End')
    // What is beside the pictures follows a tenth of a second behind quick steps.
    await page.locator('.panel > .counter strong', { hasText: /^4\.0$/ }).waitFor()
    expect(await page.locator('.counter').first().innerText()).toContain('theory 4 (2(n-1))')
  })

  test('a long run is scrubbed: drawn once a frame, however often the bar reports', LONG, async () => {
    const words = 'nodes=20&load=heavy&entries=500&at=0'
    const page = await shown(await lab.open(`#/theatre?${words}`))
    const { frames, drawn } = await page.evaluate(scrubbed)
    expect(drawn).toBeGreaterThan(frames / 2)
    // One more: what is reported last is drawn when the frames are over.
    expect(drawn).toBeLessThanOrEqual(frames + 1)
    await expect.poll(() => positionOf(page)).toBe(20 * 5 * 10)
  })

  test('shows the state under the names of the paper, with what changed', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=1'))
    const changed = page.locator('.card.active .changed')
    expect(await changed.first().innerText()).toContain('Highest_Sequence_Number')
    expect(await page.locator('.card .changed').count()).toBe(await changed.count())
  })

  test('a node that crashes lets the others wait: a chip says so, and both branches stay', async () => {
    const page = await shown(await lab.open('#/theatre?at=1'))
    expect(await page.locator('.chip.fails').count()).toBe(0)
    await choose(page, 0, 'Crash')
    await page.locator('.chip.fails').first().waitFor()
    await page.locator('[data-node="0"][aria-label="node 0, crashed"]').waitFor()
    await page.keyboard.press('End')
    const never = 'is never let in: its request to node 0 reached a crashed node'
    await page.locator('.chip.fails', { hasText: never }).first().waitFor()
    await expect.poll(() => page.locator('.branches li button').count()).toBe(2)
    await page.locator('.branches li button').first().click()
    await page.waitForFunction(() => document.querySelectorAll('.chip.fails').length === 0)
    await page.locator('.branches li button').last().click()
    await page.locator('.chip.fails').first().waitFor()
  })

  test('the holder of a token crashes, and the token is missed', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?algorithm=suzuki-kasami&load=heavy&at=0'))
    await page.keyboard.press('Shift+ArrowRight')
    const holder = await page.locator('.node.inside').getAttribute('data-node')
    await choose(page, Number(holder), 'Crash')
    await page.locator('.chip.fails', { hasText: `node ${holder} crashed with it` }).waitFor()
  })

  test('messages are dropped, delayed, doubled and delivered by hand', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=1'))
    const underWay = async () =>
      (await page.locator('.letters-list button').allInnerTexts()).map((text) => /\d → \d/.exec(text)?.[0])
    // The list follows the sentence a moment later.
    for (const [what, told, left] of [
      ['Deliver now', 'receives request from 2', ['2 → 0', '1 → 2']],
      ['Duplicate', 'duplicated', ['2 → 0', '1 → 2', '1 → 2']],
      ['Drop', 'is lost on the way', ['2 → 0', '1 → 2']],
    ] as const) {
      await page.getByRole('tab', { name: 'Messages' }).click()
      await page.locator('.letters-list button').last().click()
      await page.getByRole('menuitem', { name: what }).click()
      await page.waitForFunction(
        (text) => document.querySelector('.sentence p')?.textContent?.includes(text),
        told,
      )
      await expect.poll(underWay).toEqual(left)
    }
    await expect.poll(() => page.locator('.branches li button').count()).toBe(4)
  })

  test('how long a message is delayed is chosen, with buttons or keys', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=1'))
    await page.getByRole('tab', { name: 'Messages' }).click()
    await page.locator('.letters-list button').last().click()
    await page.getByRole('menuitem', { name: 'longer' }).click()
    await page.getByRole('menuitem', { name: 'Delay by 10' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('menuitem', { name: 'Delay by 20' }).click()
    await page.waitForFunction(() => /hands=\d+@\d+\.delay\.\d+\.\d+\.20000/.test(window.location.hash))
    await page.locator('.branches li button', { hasText: 'by 20' }).waitFor()
  })

  test('a channel is cut and healed', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=1'))
    await page.locator('[data-link="0-1"] .target').dispatchEvent('click')
    await page.getByRole('menuitem', { name: 'Cut both ways' }).click()
    await page.locator('[data-link="0-1"].cut').waitFor()
    await page.locator('[data-link="0-1"] .target').dispatchEvent('click')
    await page.getByRole('menuitem', { name: 'Heal' }).click()
    await page.locator('[data-link="0-1"]:not(.cut)').waitFor()
  })

  test('an address reopens what it shows', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=4'))
    await choose(page, 0, 'Pause')
    await page.locator('.node.paused').waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForFunction(() => /hands=.*at=\d/.test(window.location.hash))
    const fragment = new URL(page.url()).hash
    const again = await shown(await lab.open(fragment))
    const count = await page.locator('.transport-count').innerText()
    await expect.poll(() => again.locator('.transport-count').innerText()).toBe(count)
    expect(await sentenceOf(again)).toBe(await sentenceOf(page))
    await again.locator('.node.paused').waitFor()
  })

  test(
    'the address of the moment does not call a visitor back who leaves, however long the next room takes',
    LONG,
    async () => {
      const page = await shown(await lab.open('#/theatre?at=1', { apart: true }))
      let hold: (route: Route) => void = () => {}
      const held = new Promise<Route>((resolve) => {
        hold = resolve
      })
      await page.route(/\/check-[^/]*\.js$/, (route) => hold(route))
      await page.clock.install()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => positionOf(page)).toBe(2)
      await page.getByRole('link', { name: 'Check', exact: true }).click()
      const asked = await held
      // The address of a moment is written when that has rested for a while.
      await page.clock.runFor(1000)
      await asked.continue()
      await page.getByRole('heading', { name: 'Every interleaving' }).waitFor()
      expect(new URL(page.url()).hash).toBe('#/check')
    },
  )

  test('another algorithm keeps nodes, load and seed', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?nodes=5&load=heavy&at=3'))
    await page.locator('.field.algorithm select').selectOption('maekawa')
    await page.waitForFunction(() => /algorithm=maekawa/.test(window.location.hash))
    expect(page.url()).toContain('nodes=5')
    expect(page.url()).toContain('load=heavy')
    await page.locator('.hull').first().waitFor({ state: 'attached' })
  })

  test('what is broken on purpose is offered by name, and a chip turns red when it breaks', async () => {
    const together = { hasText: 'inside together' }
    const page = await shown(await lab.open('#/theatre?load=heavy&latency=constant:1&at=0'))
    const picker = page.locator('.field.algorithm select')
    await picker.selectOption('ricart-agrawala-without-tie-break')
    await page.getByText('Broken on purpose:').waitFor()
    await page.locator('.about strong', { hasText: /^Ricart-Agrawala: without tie break$/ }).waitFor()
    // It has keys of its own.
    await picker.blur()
    await page.keyboard.press('Home')
    expect(await page.locator('.chip.fails').count()).toBe(0)
    // All ask at once, and nobody waits for anybody.
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.locator('.chip.fails', together).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForFunction(() =>
      /algorithm=ricart-agrawala-without-tie-break.*at=\d/.test(window.location.hash),
    )
    const again = await shown(await lab.open(new URL(page.url()).hash))
    await again.locator('.chip.fails', together).waitFor()
    await again.getByRole('link', { name: 'in which world it fails' }).click()
    await again.getByRole('heading', { name: '✗ A property fails' }).waitFor()
  })

  test(
    'the run that breaks a rule is found and shown, from the theatre and from the gallery',
    LONG,
    async () => {
      const page = await shown(await lab.open('#/theatre?algorithm=maekawa-original&load=light&at=0'))
      await page.getByText('Broken on purpose:').waitFor()
      await page.locator('.broken-rule', { hasText: 'What fails: no deadlock.' }).waitFor()
      await page.getByRole('button', { name: 'Show the violating run' }).click()
      await page.waitForFunction(() => window.location.hash.startsWith('#/theatre?trace=z'))
      await page.locator('.chip.fails', { hasText: 'Deadlock: node' }).waitFor()
      await page.locator('.broken-rule', { hasText: 'The repair:' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      // Back is where the button was, and nothing is searched again.
      await page.goBack()
      await page.getByRole('button', { name: 'Show the violating run' }).waitFor()
      const check = await lab.open('#/check')
      const item = check.locator('.check-gallery li', { hasText: 'Lamport: without hearing all' })
      await item.getByRole('link', { name: 'Watch it fail in the theatre' }).click()
      await check.locator('.chip.fails').first().waitFor()
    },
  )

  test('what cannot be run is told in one line', LONG, async () => {
    const page = await lab.open('#/theatre?algorithm=maekava')
    expect(await page.getByRole('alert').innerText()).toContain('did you mean maekawa')
  })

  test('a counterexample opens at the step that breaks a property', async () => {
    const all = [...known, ...gallery.map(({ algorithm }) => algorithm)]
    const spec = specOf({ algorithm: 'ricart-agrawala-without-tie-break' })
    const trace = traceText(play(spec, [], all))
    const page = await shown(await lab.open('#/theatre?at=0'))
    const buffer = Buffer.from(trace)
    await page.locator('input.opens').setInputFiles({ name: 'run.jsonl', mimeType: 'text/plain', buffer })
    await page.locator('.chip.fails', { hasText: 'are inside together' }).waitFor()
    await expect.poll(() => sentenceOf(page)).toContain('VIOLATION (mutual exclusion)')
    // States are found again, and the address holds the record.
    await page.locator('.card', { hasText: 'Highest_Sequence_Number' }).first().waitFor()
    await page.waitForFunction(() => /trace=z.*at=\d/.test(window.location.hash))
    const again = await shown(await lab.open(new URL(page.url()).hash))
    await expect.poll(() => sentenceOf(again)).toContain('VIOLATION (mutual exclusion)')
  })

  test('keyboard only: step, choose a node, crash it, open and close the keys', async () => {
    const page = await shown(await lab.open('#/theatre?at=0'))
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => positionOf(page)).toBe(1)
    await page.keyboard.press('n')
    await page.keyboard.press('h')
    await page.locator('[role=menuitem]:focus').waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.locator('.node.crashed').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').innerText()).toContain('one event forward')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    // Keys are those of the dialog for as long as it has the focus.
    await page.waitForFunction(() => document.activeElement?.closest('dialog') === null)
    await page.keyboard.press('b')
    await page.waitForFunction(() => document.querySelector('.node.crashed') === null)
  })

  const WINDOWS = [
    ['wide and light', { width: 1440, height: 900, scheme: 'light' }],
    ['a dark phone', { width: 390, height: 844, scheme: 'dark' }],
  ] as const
  for (const [[window, options], tabs, tags] of [
    [WINDOWS[0], ['State', 'Properties', 'Log'], LONG],
    [WINDOWS[1], ['Code', 'Messages'], {}],
    [WINDOWS[0], ['Code', 'Messages'], LONG],
    [WINDOWS[1], ['State', 'Properties', 'Log'], LONG],
  ] as const) {
    const title = `axe finds nothing serious, and nothing is wider than the window: ${window}, ${tabs.join(', ')}`
    test(title, tags, async () => {
      const words = 'algorithm=raymond&nodes=7&load=heavy&at=30'
      const page = await shown(await lab.open(`#/theatre?${words}`, options))
      for (const tab of tabs) {
        await page.getByRole('tab', { name: tab }).click()
        await page.getByRole('tab', { name: tab, selected: true }).waitFor()
        if (tab === 'Code') await page.locator('.code mark').first().waitFor()
        expect(await seriousFindings(page), tab).toEqual([])
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width, tab).toBeLessThanOrEqual(options.width)
      }
    })
  }

  test('a step says why, below the picture and in the log', LONG, async () => {
    const page = await shown(await lab.open('#/theatre?at=12'))
    const why = await page.locator('.sentence .reasons').innerText()
    expect(why).toMatch(/^(Node \d|All others|Nobody) .*\.$/)
    await page.getByRole('tab', { name: 'Log' }).click()
    expect(await page.locator('.log .now .why').getAttribute('title')).toBe(why)
  })

  test('the code beside the run: what ran in each step, by keyboard, beside both pictures', async () => {
    const page = await shown(
      await lab.open('#/theatre?algorithm=raymond&nodes=2&load=script:0 request 0; 9 request 1&at=1', {
        width: 1024,
        height: 768,
      }),
    )
    await page.keyboard.press('t')
    const handler = page.getByRole('region', { name: 'request in raymond.ts', exact: true })
    await handler.locator('mark').first().waitFor()
    const assign = page.getByRole('region', { name: 'assignPrivilege in raymond.ts' })
    const lit = async () => (await assign.locator('.lit mark').allInnerTexts()).join('')
    await expect.poll(lit).toContain('here.enter(')
    expect(await lit()).not.toContain('here.send(')
    await expect.poll(() => page.locator('.paper-names').innerText()).toMatch(/holder\s+HOLDER/)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('region', { name: 'release in raymond.ts' }).locator('mark').first().waitFor()
    for (const part of ['.topology', '.spacetime', '#tab-Log']) {
      const box = await page.locator(part).boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0), part).toBeLessThanOrEqual(1024)
      expect((box?.y ?? 0) + (box?.height ?? 0), part).toBeLessThanOrEqual(768)
    }
    // A hand in the run is another run, and its code is followed too.
    await page.goto(`${page.url().replace(/&at=.*/, '')}&hands=1@100000.crash.1&at=2`)
    await page.getByText('No rule of the algorithm ran in this step.').waitFor()
  })

  test('the first picture needs little script', async () => {
    const page = await shown(await lab.open(''))
    await page.waitForFunction(() => performance.getEntriesByName('first picture').length === 1)
    // The later we look, the more of the later steps is there.
    const scripts = await page.evaluate(() => {
      const picture = performance.getEntriesByName('first picture')[0]?.startTime ?? 0
      return performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => name.endsWith('.js') && startTime <= picture)
        .map(({ name }) => name)
    })
    // The worker that plays the run among them.
    expect(scripts.some((name) => name.includes('player.worker'))).toBe(true)
    const sizes = await Promise.all(
      scripts.map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
  })
})
