/** Settings that do not fit the number of members: refused by the node that would begin with them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { catalogue } from '@turnwise/algorithms/catalogue'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { listOptions } from '@turnwise/core/options'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { join } from '../src/join.ts'
import { NoQuorumError } from '../src/locks/errors.ts'
import { requireFit, whyUnfit } from '../src/protocol/fit.ts'
import { servable } from '../src/protocol/serving.ts'
import { STEADY, starter } from './meshes.ts'
import { LogBook } from './observe/log-book.ts'
import '../check/texts.ts'

describe('what algorithms need of the number of members', () => {
  test.each([
    ['ricart-agrawala modulus=3', 2, null],
    ['ricart-agrawala modulus=3', 3, 'the modulus 3 is less than 2n-1, which is 5'],
    ['ricart-agrawala-modulo modulus=4', 3, 'the modulus 4 is less than 2n-1, which is 5'],
    ['ricart-agrawala modulus=5', 3, null],
    ['ricart-agrawala-modulo', 200, null],
    ['gifford-voting votes=1,1,1,1', 4, null],
    ['gifford-voting votes=1,1,1,1', 3, 'votes for 4 nodes were given, but there are only 3'],
    ['gifford-voting votes=0', 1, 'no node has a vote: at least one must'],
    ['carvalho-roucairol', 1024, null],
    ['carvalho-roucairol', 1025, 'a view has at most 1024'],
    ['nobody-knows-it', 3, '"nobody-knows-it" is not an algorithm: turnwise algorithms lists all'],
  ])('%s among %i', (algorithm, members, why) => {
    const told = why && `"${algorithm}" cannot serve ${members} member${members === 1 ? '' : 's'}: ${why}`
    expect(whyUnfit({ algorithm }, members)).toBe(told)
    if (why === null) expect(() => requireFit(algorithm, members)).not.toThrow()
    else expect(() => requireFit(algorithm, members)).toThrow(InvalidInput)
  })

  test('numbers that would not fit a fence, or a sum, are refused', () => {
    for (const setting of ['increment=10001', 'steps=1,10001', 'priority=10001'])
      expect(() => servable(`ricart-agrawala ${setting}`)).toThrow('to 10000')
    expect(() => servable('gifford-voting votes=1,1000001')).toThrow('a whole number, 0 to 1000000')
  })

  test('what serves semaphores needs nothing, so that no view has to ask for them', async () => {
    const several = catalogue.filter(({ facts }) => facts.entries === 'k')
    const needy = several.filter(({ options }) => listOptions(options).some(([, spec]) => 'misfit' in spec))
    expect(needy).toEqual([])
    const mesh = await join()
    expect(() => mesh.semaphore('S', 2, { algorithm: 'srimani-reddy L=5' })).toThrow(
      new InvalidInput('a semaphore takes an algorithm without settings, got "srimani-reddy L=5"'),
    )
    await mesh.leave()
  })
})

test('join refuses settings that do not fit its peers, and begins nothing', async () => {
  const peers = { a: '127.0.0.1:1', b: '127.0.0.1:2', c: '127.0.0.1:3' }
  const joins = (algorithm: string) => join({ id: 'a', peers, stateDir: './never-made', algorithm })
  await expect(joins('ricart-agrawala modulus=3')).rejects.toThrow(
    new InvalidInput(
      '"ricart-agrawala modulus=3" cannot serve 3 members: the modulus 3 is less than 2n-1, which is 5',
    ),
  )
  await expect(joins('gifford-voting votes=1,1,1,1')).rejects.toThrow(
    new InvalidInput(
      '"gifford-voting votes=1,1,1,1" cannot serve 3 members: votes for 4 nodes were given, but there are only 3',
    ),
  )
  await expect(join({ algorithm: 'gifford-voting votes=0' })).rejects.toThrow('no node has a vote')
})

describe.concurrent('a node that would make a view unfit is told why', () => {
  const ids = ['a', 'b', 'c', 'd']
  const noPlace =
    'no place for d beside a, b, c: "ricart-agrawala modulus=5" cannot serve 4 members: ' +
    'the modulus 5 is less than 2n-1, which is 7'

  test('a newcomer without a place: its join rejects, its log says so, and the others go on', async () => {
    const log = new LogBook()
    const algorithm = 'ricart-agrawala modulus=5'
    const start = starter({ ids, voters: ['a', 'b', 'c'], algorithm, lease: STEADY, log })
    const [a, b, c] = atLeast(3, await Promise.all(['a', 'b', 'c'].map(start)))
    await expect(start('d')).rejects.toThrow(new InvalidInput(noPlace))
    expect((await log.says('trouble', 'd')).details['trouble']).toEqual([noPlace])
    expect(a.status).toMatchObject({ members: ['a', 'b', 'c'], trouble: [] })
    await expect(a.changeVoters(ids)).rejects.toThrow(new InvalidInput(noPlace))
    for (const node of [a, b, c]) await node.locks.request('L', () => {})
    await Promise.all([a, b, c].map((node) => node.leave()))
  })

  test('a peer for which there would be no place is refused where it is added', async () => {
    const stateDir = await mkdtemp(path.join(tmpdir(), 'tw-'))
    const algorithm = 'ricart-agrawala modulus=1'
    const mesh = await join({ id: 'a', peers: { a: '127.0.0.1:0' }, stateDir, algorithm })
    expect(() => mesh.addPeer('b', '127.0.0.1:1')).toThrow(
      new InvalidInput(
        `no place for b beside a: "${algorithm}" cannot serve 2 members: the modulus 1 is less than 2n-1, which is 3`,
      ),
    )
    await mesh.leave()
    await rm(stateDir, { recursive: true })
  })

  test('a member is missing that the settings need: requests fail with the reason, and holders hold on', async () => {
    const algorithm = 'gifford-voting votes=1,1,1,1'
    // Nobody waits for the end of a lease here, and none is to end.
    const start = starter({ ids, voters: ids, algorithm, lease: 4000, timeout: 60_000, quorumTimeout: 100 })
    const [a, b, c, d] = atLeast(4, await Promise.all(ids.map(start)))
    const why =
      '"gifford-voting votes=1,1,1,1" cannot serve 3 members: votes for 4 nodes were given, but there are only 3'
    const held = await a.locks.acquire('held')
    await d.leave()
    while (a.status.trouble.length === 0) await a.pause()
    expect(a.status.trouble).toEqual([`no view of a, b, c: ${why}`])
    const waits = await b.locks.acquire('held').catch((error: unknown) => error)
    expect(waits).toBeInstanceOf(NoQuorumError)
    expect((waits as Error).message).toBe(`"held": no view of a, b, c: ${why}`)
    expect(held.isHeld).toBe(true)
    await Promise.all([a, b, c].map((node) => node.leave()))
  })

  test('while too few are there join waits, and a time-out names the reason', async () => {
    const algorithm = 'gifford-voting votes=1,1,1,1'
    // Long enough that they hear of each other on a busy machine too: a node that has not gives that as the reason.
    const start = starter({ ids, voters: ['a', 'b', 'c'], algorithm, timeout: 8000 })
    const joins = await Promise.all(
      ['a', 'b', 'c'].map((id) => start(id).catch((error: unknown) => String(error))),
    )
    for (const error of joins)
      expect(error).toMatch(/NoQuorumError: node . did not join in .*; no view of .* cannot serve/)
  })
})
