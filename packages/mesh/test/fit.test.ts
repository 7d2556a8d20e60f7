/** Settings that do not fit the number of members: refused by whoever would begin with them. */
import { catalogue } from '@turnwise/algorithms/catalogue'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { listOptions } from '@turnwise/core/options'
import { describe, expect, test } from 'vitest'
import { join } from '../src/join.ts'
import { requireFit, whyUnfit } from '../src/protocol/fit.ts'
import { servable } from '../src/protocol/instances.ts'

describe('what algorithms need of the number of members', () => {
  test.each([
    ['ricart-agrawala modulus=3', 2, null],
    ['ricart-agrawala modulus=3', 3, 'the modulus 3 is less than 2n-1, which is 5'],
    ['ricart-agrawala-modulo modulus=4', 3, 'the modulus 4 is less than 2n-1, which is 5'],
    ['ricart-agrawala modulus=5', 3, null],
    ['ricart-agrawala-modulo', 200, null],
    ['gifford-voting votes=1,1,1,1', 4, null],
    ['gifford-voting votes=1,1,1,1', 3, 'votes of 4 nodes were given, and there are only 3'],
    ['gifford-voting votes=0', 1, 'nobody has a vote: at least one node must'],
    ['carvalho-roucairol', 256, null],
    ['carvalho-roucairol', 257, 'a view has at most 256'],
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
      new InvalidInput('"srimani-reddy L=5": a semaphore takes no settings'),
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
      '"gifford-voting votes=1,1,1,1" cannot serve 3 members: votes of 4 nodes were given, and there are only 3',
    ),
  )
  await expect(join({ algorithm: 'gifford-voting votes=0' })).rejects.toThrow('nobody has a vote')
})
