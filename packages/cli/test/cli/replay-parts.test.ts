import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch, turnwise } from './in-process.ts'

const files = scratch()

/** What one of three nodes recorded of a lock, event by event: milliseconds after a start, and the rest of the line. */
function part(node: number, ...events: [at: number, event: object][]): string {
  const header = {
    format: 'turnwise-trace',
    version: 1,
    algorithm: 'carvalho-roucairol',
    nodes: 3,
    seed: 0,
    entries: 1,
    settings: { lock: 'invoices', ids: 'a, b, c', part: node },
  }
  const start = Date.UTC(2026, 10, 15, 12) * 1000
  const lines = events.map(([at, event]) => ({ at: start + at * 1000, ...event }))
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}

const view = (node: number, step: string) => ({ is: 'proceed', node, step })
const request = (node: number) => ({ is: 'request', node, mode: 'exclusive' })
const enter = (node: number, fence: number) => ({ is: 'enter', node, mode: 'exclusive', fence })
const leave = (node: number) => ({ is: 'leave', node })
const gone = (node: number) => ({ is: 'gone', node })
const receive = (id: number, node: number) => ({ is: 'receive', id, node })
const send = (id: number, from: number, to: number, type: string) => ({
  is: 'send',
  id,
  from,
  to,
  message: { type },
})

/** b asks a, which is inside, and is let in when a leaves; c leaves, and a view begins without it. */
const A = part(
  0,
  [0, request(0)],
  [0, enter(0, 16)],
  [7, receive(1, 0)],
  [20, leave(0)],
  [20, send(2, 0, 1, 'reply')],
  [50, view(0, 'view 2 of a, b')],
  [70, gone(0)],
)
/** Its clock is five milliseconds behind. */
const B = part(
  1,
  [0, request(1)],
  [0, send(1, 1, 0, 'request')],
  [16, receive(2, 1)],
  [16, enter(1, 32)],
  [36, leave(1)],
)
const C = part(2, [40, gone(2)])

const write = (name: string, text: string) => files.write(name, text)

describe('replay of what the nodes of a mesh recorded', () => {
  test('is one run', async () => {
    const paths = [write('a.trace', A), write('b.trace', B), write('c.trace', C)]
    const { code, out, err } = await turnwise(['replay', ...paths])
    expect(code).toBe(0)
    expect(err).toEqual([
      '3 parts; time 0 is 2026-11-15T12:00:00.000Z',
      'the part of node 1 (b) ends at 0.040 without a farewell',
      'the clock of node 1 (b) is behind, so it is shown 4 ms later',
    ])
    expect(out).toMatchInlineSnapshot(`
      "carvalho-roucairol, 3 nodes, lock invoices of a, b, c
      │ idle   ┆ waiting   █ inside   × crashed   ‖ paused   · absent   ●──▶ a message arrives
        ●──✗ it is lost

       time  0              1              2
      0.000  █              │              │    0 asks; enters (fence 16)
      0.004  █              ┆              │    1 asks; sends request to 0
      0.007  █◀───request──●┆              │    0 receives request from 1 (sent 0.004)
      0.020  │              ┆              │    0 leaves; sends reply to 1
      0.020  │●────reply───▶█              │    1 receives reply from 0 (sent 0.020); enters (fence 32)
      0.040  │              │              │    1 leaves
      0.040  │              ·              │    1 is not seen any more
      0.040  │              ·              ·    2 is gone
      0.050  │              ·              ·    0 proceeds with view 2 of a, b
      0.070  ·              ·              ·    0 is gone"
    `)
  })

  test('two inside are found, and the exit code says so', async () => {
    const lie = A.replace(/.*"leave".*\n/, '')
    const paths = [write('lie.trace', lie), write('b.trace', B), write('c.trace', C)]
    const { code, out, err } = await turnwise(['replay', ...paths])
    expect(code).toBe(1)
    expect(err.at(-1)).toBe('judges found 1 violation')
    expect(out).toContain('VIOLATION exclusion: nodes 0, 1 are inside together; one')
    expect((await turnwise(['replay', ...paths, '--mermaid'])).code).toBe(1)
  })

  test('a part that breaks off, and parts that are missing', async () => {
    const path = write('torn.trace', B.slice(0, -8))
    const { code, out, err } = await turnwise(['replay', path])
    expect(code).toBe(0)
    expect(err).toEqual([
      `${path} breaks off in line 6`,
      '1 part; time 0 is 2026-11-15T12:00:00.000Z',
      'there is no part of node 0 (a)',
      'there is no part of node 2 (c)',
      'the part of node 1 (b) ends at 0.016 without a farewell',
      '1 message arrives of which no part says that it was sent',
    ])
    expect(out).toContain('receives an unknown message; enters (fence 32)')
  })

  test('a run that is whole stands alone', async () => {
    const path = files.path('whole.jsonl')
    await command('simulate ricart-agrawala --nodes 3 --entries 2 --trace <file>', path)
    const other = write('a.trace', A)
    expect(await turnwise(['replay', other, path])).toEqual({
      code: 2,
      out: '',
      err: [
        `turnwise: TRACE ${other} ${path}: file 2 is a whole run; only parts that nodes recorded can be merged`,
      ],
    })
    await expectRefusal(
      'replay <file> <file>',
      'TRACE <file> <file>: two parts of node 0 tell of the same time',
      other,
    )
  })

  test('the help tells the exit codes', async () => {
    expect((await command('replay --help')).out).toContain(
      '1 a judge found a violation in what a mesh recorded',
    )
  })
})
