/** Daemons that meet at a place: no ids, no peers, no state directory. */

import { resolve } from 'node:path'
import { freeAddress } from '@turnwise/fleet/ports'
import type { Program } from '@turnwise/fleet/program'
import type { NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import { afterAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { type Server, serverObstacle, startServer } from '../../../../test/servers.ts'
import { turnwise } from '../cli/in-process.ts'
import { answerWhen, LEASE, Workplace } from './processes.ts'

const place = new Workplace()

afterAll(() => place.clear())

/** When its status is as wanted. */
function statusWhen(name: string, isSo: (status: NodeStatus) => boolean): Promise<NodeStatus> {
  return answerWhen(place.path(`${name}/socket`), 'status', isSo)
}

describe('daemons that meet in a directory', { timeout: 180_000 }, () => {
  const file = place.write('node.json', { at: './locks', lease: LEASE })
  const daemons: Record<string, Program> = {}
  const start = (name: string) => {
    const socket = place.path(`${name}/socket`)
    const daemon = place.start('node', '--config', file, '--id', name, '--socket', socket)
    daemons[name] = daemon
    return daemon
  }

  test('they find each other, serve locks, and tell where they meet', async () => {
    await Promise.all(['a', 'b'].map((name) => start(name).says(/"joined"/)))
    const { id, members, voters, peers, missing } = await statusWhen(
      'a',
      ({ members }) => members.length === 2,
    )
    expect(members.map((member) => member.split('.')[0]).toSorted()).toEqual(['a', 'b'])
    expect({ voters, peers, missing }).toEqual({ voters: [], peers: [], missing: [] })
    const { out } = await place.run('status', '--socket', place.path('a/socket'))
    expect(out).toContain(`meets at ${place.path('locks')}, which answers\n`)
    expect(out).toContain(`${id} (this)`)
    expect(out).not.toContain('vote')

    const holder = place.start(
      'lock',
      'x',
      '--socket',
      place.path('a/socket'),
      '--',
      'sh',
      '-c',
      'echo in; read line',
    )
    await holder.says(/in/)
    expect((await place.run('locks', '--socket', place.path('b/socket'))).out).toMatch(
      new RegExp(`^x +holds +${id} `, 'm'),
    )
    holder.tell('go\n')
    expect(await holder.code).toBe(0)
    const { out: metrics } = await place.run('metrics', '--socket', place.path('a/socket'))
    expect(metrics).toContain('turnwise_joined{node="a"} 1')
    expect(metrics).toContain('turnwise_place_silent_seconds{node="a"} 0')
  })

  test('one that is killed and started again is another member, and waits for nobody', LONG, async () => {
    const first = await statusWhen('b', ({ members }) => members.length === 2)
    daemons['b']?.kill('SIGKILL')
    await statusWhen('a', ({ members }) => !members.includes(first.id))
    const again = start('b')
    await again.says(/"joined"/)
    expect(again.err).not.toContain('waiting for its lease')
    const { members } = await statusWhen('a', ({ members }) => members.length === 2)
    expect(members).not.toContain(first.id)
  })
})

describe('what is wrong is told in one line', { timeout: 180_000 }, () => {
  const socket = ['--socket', place.path('wrong/socket')]

  test.each([
    [['node'], 'no mesh is given: give --at or --config'],
    [
      ['node', '--at', './x'],
      'a node needs a control socket: give --socket, or set socket or stateDir in the file',
    ],
    [['node', '--at', 'nfs://x', ...socket], '--at: "nfs://x" is not a place to meet: ./directory'],
    [
      ['node', '--at', './x', '--mesh', '', ...socket],
      '"" is not the name of a mesh, for --mesh: 1 to 255 characters',
    ],
    [
      ['node', '--at', './x', '--genesis', '7', ...socket],
      `--at: genesis cannot be set where the mesh meets at "${resolve('x')}"`,
    ],
    [
      ['lock', 'x', '--at', './x', '--socket', 's', '--', 'true'],
      "option '--at <place>' cannot be used with",
    ],
  ])('%s', async (args, complaint) => {
    const { code, err } = await turnwise(args)
    expect(code).toBe(2)
    expect(err).toEqual([expect.stringContaining(`turnwise: ${complaint}`)])
  })

  test('peers in the file of a node that meets others at a place', async () => {
    const peers = place.write('peers.json', { id: 'a', peers: { a: '127.0.0.1:7101' } })
    const { code, err } = await turnwise(['node', '--config', peers, '--at', './x', ...socket])
    expect(code).toBe(2)
    expect(err).toEqual([
      `turnwise: --at: peers cannot be set where the mesh meets at "${resolve('x')}": members find each other there`,
    ])
  })

  test('a place and peers in one file', async () => {
    const both = place.write('both.json', { at: './x', peers: { a: '127.0.0.1:7101' } })
    const { code, err } = await turnwise(['node', '--config', both, ...socket])
    expect(code).toBe(2)
    expect(err).toEqual([expect.stringMatching(/peers cannot be set where the mesh meets at/)])
  })

  test('a place that does not answer', async () => {
    const nobody = await freeAddress()
    const { code, err } = await turnwise(['lock', 'x', '--at', `etcd://me:hunter2@${nobody}/x`, '--', 'true'])
    expect(code).toBe(75)
    expect(err).toEqual([
      `turnwise: the mesh at etcd://me@${nobody}/x cannot be reached: etcd does not answer: ${nobody}: connect ECONNREFUSED ${nobody}`,
    ])
  })
})

const obstacle = serverObstacle('etcd')
if (obstacle !== null) console.log(`left out: a daemon whose engine is away; ${obstacle}`)

describe.skipIf(obstacle !== null)('a daemon whose engine is away', { timeout: 180_000 }, () => {
  let server: Server | null = null

  afterAll(() => server?.end())

  test('says so, with how long, and that it is back', LONG, async () => {
    server = await startServer('etcd', place.directory)
    const at = `etcd://127.0.0.1:${server.port}/tests`
    const file = place.write('away.json', { at, listen: '127.0.0.1:0', lease: 6000, socket: 'e/socket' })
    const daemon = place.start('node', '--config', file)
    await daemon.says(/"joined"/)
    expect((await statusWhen('e', () => true)).place).toEqual({ name: at, silentFor: null, why: null })
    await server.end()
    const { place: away } = await statusWhen('e', ({ place }) => place?.silentFor !== null)
    expect(away?.why).toContain('ECONNREFUSED')
    await daemon.says(/"event":"place silent"/)
    const { out } = await place.run('status', '--socket', place.path('e/socket'))
    expect(out).toMatch(
      /meets at etcd:\/\/127\.0\.0\.1:\d+\/tests, which has not answered for [\d.]+ m?s: .*ECONNREFUSED/,
    )
    await server.restart()
    await statusWhen('e', ({ place }) => place?.silentFor === null)
    await daemon.says(/"event":"place answers"/)
  })
})
