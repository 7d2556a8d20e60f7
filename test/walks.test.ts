/** Through how many files a request goes until its first message leaves, by the stack of the running program. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { freeAddresses } from '@turnwise/fleet/ports'
import { joinNode } from '@turnwise/mesh/join'
import { TcpTransport } from '@turnwise/mesh/transport/tcp'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Network } from '@turnwise/simulator/network'
import { Simulation } from '@turnwise/simulator/simulation'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'

afterEach(() => vi.restoreAllMocks())

const architecture = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')

/** Our sources in the stack of this call. */
function stack(): string[] {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const { stack: text = '' } = new Error('')
  Error.stackTraceLimit = limit
  return [...text.matchAll(/packages\/[\w-]+\/src\/[^:?\s]+\.ts/g)].map(([file]) => file)
}

/** The stack of each call of a method, which is called all the same. */
function callsOf(owner: object, name: string): string[][] {
  const calls: string[][] = []
  const method = Reflect.get(owner, name) as (...given: unknown[]) => unknown
  vi.spyOn(owner as Record<string, () => unknown>, name).mockImplementation(function (
    this: unknown,
    ...given: unknown[]
  ) {
    calls.push(stack())
    return method.apply(this, given)
  })
  return calls
}

/** The part of ARCHITECTURE.md below this heading names each of these files. */
function expectTold(heading: string, files: ReadonlySet<string>): void {
  const [, part = ''] = architecture.split(`### ${heading}\n`)
  const [text = ''] = part.split('\n## ')
  expect([...files].filter((file) => !text.includes(`(${file})`))).toEqual([])
}

test('a request to a mesh: at most 15 files until the first message is on the wire', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'))
  const peers = await freeAddresses(['a', 'b'])
  const start = (id: string) =>
    joinNode({ id, peers, stateDir: join(folder, id), firstStart: true, lease: 10_000 })
  const [a, b] = await Promise.all([start('a'), start('b')])
  onTestFinished(async () => {
    await Promise.all([a.leave(), b.leave()])
    rmSync(folder, { recursive: true })
  })
  await b.locks.request('x', () => {})

  const algorithm = algorithmNamed('token-queue')
  const rule = algorithm.request.bind(algorithm)
  let ruled: string[][] = []
  vi.spyOn(algorithm, 'request').mockImplementation((node, here, asked) => {
    ruled = callsOf(here, 'send')
    return rule(node, here, asked)
  })
  const sent = callsOf(TcpTransport.prototype, 'send')
  const written = callsOf(Socket.prototype, 'write')
  await a.locks.request('x', () => {})

  // A heartbeat may have been sent, too.
  const through = (calls: string[][], name: string) =>
    calls.find((call) => call.some((file) => file.endsWith(`/${name}`))) ?? []
  const [rules = []] = ruled
  const asked = through(sent, 'lock-manager.ts')
  const flushed = through(written, 'outgoing.ts')
  for (const call of [asked, rules, flushed]) expect(call.length).toBeGreaterThan(1)
  const files = new Set([...rules, ...asked, 'packages/mesh/src/transport/tcp.ts', ...flushed])
  expect(files.size).toBeLessThanOrEqual(15)
  expectTold('The way of one request', files)
})

test('a simulated request: at most 6 files until its message is under way', () => {
  const arrivals = callsOf(Network.prototype, 'arrival')
  new Simulation(simulationConfig(algorithmNamed('ricart-agrawala'), { nodes: 5, entries: 10 })).runToEnd()
  const files = new Set(arrivals[0])
  expect(files.size).toBeGreaterThan(1)
  expect(files.size).toBeLessThanOrEqual(6)
})
