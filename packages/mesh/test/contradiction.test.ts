import { get } from '@turnwise/core/bounds'
import { afterEach, expect, test } from 'vitest'
import type { MeshNode } from '../src/mesh.ts'
import type { Receiver, Transport } from '../src/transport/transport.ts'
import { starter } from './meshes.ts'

let nodes: MeshNode[] = []

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.leave()))
  nodes = []
})

test('a message that cannot be does not reach the program as an exception: it is logged, and locks are granted again', async () => {
  const receivers: Receiver[] = []
  const tapped = (transport: Transport): Transport => ({
    start(receiver) {
      receivers.push(receiver)
      return transport.start(receiver)
    },
    send: (to, message) => transport.send(to, message),
    backlog: (to) => transport.backlog(to),
    reset: (peer) => transport.reset(peer),
    setPeers: (peers) => transport.setPeers(peers),
    close: () => transport.close(),
  })
  const logged: string[] = []
  const note = (_: object, event?: string) => void logged.push(event ?? '')
  const log = { debug: note, info: note, warn: note, error: note }
  const start = starter({ ids: ['a', 'b'], voters: ['a', 'b'], wrap: tapped, log })
  const first = start('a')
  nodes = await Promise.all([first, start('b')])
  const a = get(nodes, 0)
  await a.locks.request('L', () => 'once')
  // Both nodes are told: whichever it is, the numbers of its link begin with 1.
  for (const [i, receiver] of receivers.entries()) {
    const payload = { kind: 'lock', name: '=M', from: 0, to: 0, message: { type: 'none' } } as const
    const epoch = get(nodes, i).status.epoch ?? 0
    for (let seq = 1; seq < 20; seq += 1) {
      const message = { type: 'link', epoch, seq, payload } as const
      receiver.receive(i === 0 ? 'b' : 'a', message)
    }
  }
  expect(logged).toContain('contradiction')
  expect(await a.locks.request('L', () => 'again')).toBe('again')
})
