/** Nodes that are set otherwise than their peers: both ends say so, by name and value. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { freeAddresses } from '@turnwise/fleet/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../test/present.ts'
import { type JoinOptions, joinNode } from '../src/join.ts'
import type { MeshNode } from '../src/mesh.ts'
import { FrameReader, joinFrames } from '../src/transport/framing.ts'
import { LONGEST_HANDSHAKE, VERSION, writeAnswer } from '../src/transport/handshake.ts'
import { LogBook } from './observe/log-book.ts'

let directory = ''
let peers: Readonly<Record<string, string>> = {}
let log = new LogBook()

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  peers = await freeAddresses(['a', 'b', 'c'])
  log = new LogBook()
})

afterEach(() => rmSync(directory, { recursive: true }))

const LEASE = 1000

function start(id: string, options: JoinOptions = {}): Promise<MeshNode> {
  const stateDir = path.join(directory, id)
  return joinNode({ id, peers, stateDir, lease: LEASE, firstStart: true, thread: false, log, ...options })
}

const reasonOf = (joining: Promise<unknown>) => joining.then(String, (error: unknown) => error)

async function troubled(node: MeshNode): Promise<readonly string[]> {
  while (node.status.trouble.length === 0) await node.pause()
  return node.status.trouble
}

/** What the log said of a node's trouble, the last time. */
function said(node: string): unknown {
  return log.entries.findLast(({ event, details }) => event === 'trouble' && details['node'] === node)
    ?.details['trouble']
}

describe('of two voters', () => {
  const two = { voters: ['a', 'b'] }

  test.each<[string, JoinOptions, JoinOptions, (from: string, to: string) => string]>([
    [
      'algorithm',
      { algorithm: 'lamport' },
      { algorithm: 'ricart-agrawala priority=3' },
      (from, to) =>
        from === 'a'
          ? `"${from}" uses the algorithm "lamport", but "${to}" uses "ricart-agrawala priority=3"`
          : `"${from}" uses the algorithm "ricart-agrawala priority=3", but "${to}" uses "lamport"`,
    ],
    [
      'mesh name',
      { mesh: 'one' },
      { mesh: 'two' },
      (from, to) =>
        from === 'a'
          ? `"${from}" belongs to the mesh "one", but the node at the address of "${to}" belongs to "two"`
          : `"${from}" belongs to the mesh "two", but the node at the address of "${to}" belongs to "one"`,
    ],
  ])('another %s: both joins reject, both logs and both sides say why', async (_, ofA, ofB, line) => {
    const joins = [start('a', { ...two, ...ofA }), start('b', { ...two, ...ofB })].map(reasonOf)
    const [a, b] = await Promise.all(joins)
    expect(a).toEqual(new InvalidInput(`node a is refused: ${line('a', 'b')}`))
    expect(b).toEqual(new InvalidInput(`node b is refused: ${line('b', 'a')}`))
    expect(said('a')).toEqual([line('a', 'b')])
    expect(said('b')).toEqual([line('b', 'a')])
  })
})

test('a third that has another algorithm is turned away, and the majority goes on', async () => {
  const voters = ['a', 'b']
  const [a, b] = atLeast(2, await Promise.all(voters.map((id) => start(id, { voters }))))
  const other = { algorithm: 'lamport', thread: true }
  const refusal = await reasonOf(start('c', { ...other, voters }))
  expect(String(refusal)).toMatch(
    /^InvalidInput: node c is refused: .*uses the algorithm "lamport", but "a" uses "token-queue/,
  )
  await a.locks.request('L', () => {})
  // The same node as it should be.
  const c = await start('c', { voters })
  await c.locks.request('L', () => {})
  expect(c.status.trouble).toEqual([])
  await Promise.all([a, b, c].map((node) => node.leave()))
})

test.each([
  ['lease', { lease: 2 * LEASE }, 'leases', '2000 ms', '1000 ms'],
  ['drift', { drift: 0.01 }, 'drifts', '0.01', '0.002'],
])(
  'another %s is no reason to stay apart: the status of both ends has both values',
  async (_, ofB, what, theirs, ours) => {
    const voters = ['a', 'b']
    const nodes = await Promise.all([start('a', { voters }), start('b', { voters, ...ofB })])
    const [a, b] = nodes
    expect(await troubled(a)).toEqual([`${what} differ: b has ${theirs}, a has ${ours}`])
    expect(await troubled(b)).toEqual([`${what} differ: a has ${ours}, b has ${theirs}`])
    await log.says('trouble', 'a')
    await log.says('trouble', 'b')
    await b.locks.request('L', () => {})
    await Promise.all(nodes.map((node) => node.leave()))
  },
)

test('an earlier version of the protocol: the status names both, and nothing is said to it', async () => {
  const frames: number[] = []
  const earlier = createServer((socket) => {
    const reader = new FrameReader(LONGEST_HANDSHAKE)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      reader.add(chunk)
      for (let frame = reader.next(); frame !== null; frame = reader.next()) frames.push(present(frame[9]))
      // What it would have said to a hello of ours, and as all versions say it.
      const answer = Buffer.from(
        writeAnswer({ refusal: { reason: 'version', instead: String(VERSION - 1) } }),
      )
      answer[9] = VERSION - 1
      socket.end(joinFrames([answer]))
    })
  })
  earlier.listen(Number(present(peers['b']).split(':')[1]), '127.0.0.1')
  const a = await start('a', { voters: ['a'] })
  expect(await troubled(a)).toEqual([
    `"b" speaks version "${VERSION - 1}" of the protocol, "a" speaks ${VERSION}`,
  ])
  await log.says('trouble', 'a')
  await a.locks.request('L', () => {})
  await a.leave()
  expect(new Set(frames)).toEqual(new Set([VERSION]))
  await new Promise((resolve) => earlier.close(resolve))
})

test('other voters are told while there is no view, and a time-out names them', async () => {
  const joins = [
    start('a', { voters: ['a', 'b', 'c'], timeout: 10_000, firstStart: false }),
    start('b', { voters: ['b', 'c'], timeout: 10_000, firstStart: false }),
  ].map(reasonOf)
  const [a, b] = await Promise.all(joins)
  expect(String(a)).toContain('voters differ: b has "b, c", a has "a, b, c"')
  expect(String(b)).toContain('voters differ: a has "a, b, c", b has "b, c"')
  expect(said('a')).toEqual(['voters differ: b has "b, c", a has "a, b, c"'])
})

describe('voters of whom none is the same', () => {
  const NONE = 'Without a common voter both could make a first view, so this node makes none'

  test('one half was first: the others join it, and do not make a view of their own', async () => {
    const a = await start('a', { voters: ['a'] })
    const others = await Promise.all(['b', 'c'].map((id) => start(id, { voters: ['b', 'c'] })))
    const nodes = [a, ...others]
    for (const node of nodes)
      while (node.status.members.join() !== 'a,b,c') expect(await node.pause()).toBe(true)
    for (const node of nodes) await node.locks.request('L', { waitForQuorum: true }, () => {})
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('both at once: there is no view, and a time-out says why', async () => {
    const joins = [
      start('a', { voters: ['a'], timeout: 4 * LEASE }),
      start('b', { voters: ['b'], timeout: 4 * LEASE }),
    ].map(reasonOf)
    const [a, b] = await Promise.all(joins)
    expect(String(a)).toContain(`voters differ: b has "b", a has "a". ${NONE}`)
    expect(String(b)).toContain(`voters differ: a has "a", b has "b". ${NONE}`)
  })
})
