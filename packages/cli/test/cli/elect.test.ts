import { elections } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal } from './in-process.ts'

interface Report {
  readonly [name: string]: unknown
}

async function elected(line: string): Promise<{ code: number; report: Report }> {
  const { code, out } = await command(`elect ${line} --json`)
  return { code, report: JSON.parse(out) as Report }
}

describe('turnwise elect', () => {
  test('the example of the lecture, for people', async () => {
    const { code, out, err } = await command('elect bully --nodes 7 --initiators 3')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(out).toContain('node 5')
    expect(out).toContain('14 (3 answer, 5 coordinator, 6 election)')
    expect(out).toContain('held: one coordinator, agreed by all, the highest of the living')
  })

  test('and for programs', async () => {
    const { code, report } = await elected('ring-election --nodes 5 --initiators 0,1@3 --dead 4 --seed 3')
    expect(code).toBe(0)
    expect(report).toMatchObject({
      algorithm: 'ring-election',
      nodes: 5,
      seed: 3,
      dead: [4],
      initiators: [
        { node: 0, at: 0 },
        { node: 1, at: 3 },
      ],
      elected: 3,
      messages: { total: expect.any(Number), byType: expect.any(Object) },
      predicted: { min: expect.any(Number), formula: expect.any(String) },
      violations: [],
      wallMs: expect.any(Number),
    })
  })

  test('the same seed draws the same initiator, another seed another one', async () => {
    const drawn = async (seed: number) =>
      (await elected(`bully --nodes 50 --seed ${seed}`)).report['initiators']
    expect(await drawn(1)).toEqual(await drawn(1))
    expect(
      new Set(await Promise.all([1, 2, 3].map(async (seed) => JSON.stringify(await drawn(seed))))).size,
    ).toBe(3)
  })

  test('a broken variant is caught: exit code 1', async () => {
    const { code, report } = await elected('bully-never-off --nodes 3 --initiators 0,0@200')
    expect(code).toBe(1)
    expect(report['violations']).toMatchObject([{ judge: 'progress' }])
  })

  test.each(elections.map(({ facts }) => facts.name))('%s can be checked and explained', async (name) => {
    const { code, out } = await command(`check ${name} --nodes 3 --dead 2 --json`)
    expect(code).toBe(0)
    const { properties, dead } = JSON.parse(out) as { properties: { name: string }[]; dead: number[] }
    expect(dead).toEqual([2])
    expect(properties.map((property) => property.name)).toEqual([
      'one-coordinator',
      'agreement',
      'highest',
      'no-deadlock',
      'rules',
      'can-end',
      'always-ends',
      'sometimes-elects',
    ])
    expect((await command(`explain ${name}`)).out).toContain(`turnwise elect ${name} --nodes 5`)
  })
})

describe('what cannot be held is refused in one line', () => {
  test.each([
    ['simulate bully', 'ALGORITHM: "bully" is an election: use turnwise elect'],
    ['simulate bully-never-off', 'ALGORITHM: "bully-never-off" is an election: use turnwise elect'],
    [
      'elect raymond',
      'ALGORITHM: "raymond" is a mutual exclusion algorithm, not an election: use turnwise simulate',
    ],
    ['elect buly', 'ALGORITHM: "buly" is not an election: ring-election, bully'],
    ['elect bully --nodes 3 --initiators 2', '--initiators: "2" is dead and calls no election'],
    ['elect bully --initiators x', '--initiators: "x" is not one of one, all, or a list such as 3,0@20'],
    ['elect bully --dead x', '--dead: "x" is not one of highest, none, or a list such as 5,6'],
    ['elect bully --nodes 2 --dead 0,1', '--dead: "0,1" is not a list that leaves a node alive'],
    ['check bully --k 2', '--k: bully is an election, so there is no k'],
  ])('%s', (line, complaint) => expectRefusal(line, complaint))
})
