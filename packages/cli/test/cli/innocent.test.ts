import { innocents } from '@turnwise/algorithms/innocent/innocents'
import { expect, test } from 'vitest'
import { command } from './in-process.ts'

test.each(innocents.map(({ name, harmless }) => [name, harmless] as const))(
  'explain %s tells the suspicion and why it does no harm',
  async (name, harmless) => {
    const { code, out } = await command(`explain ${name}`)
    expect(code).toBe(0)
    expect(out.replaceAll('\n', ' ')).toContain(harmless)
    expect(out.split('\n').at(-1)).toBe(`turnwise check ${name}`)
  },
)

test('a suspected rule can be checked and run by its name', async () => {
  expect((await command('check suzuki-kasami-exactly-next --nodes 2')).code).toBe(0)
  expect((await command('check raynal-prime-modified-without-versions --nodes 2 --requests any')).code).toBe(
    0,
  )
  expect((await command('simulate raymond-k-compares-inside --nodes 3 --entries 20')).code).toBe(0)
  expect((await command('elect ring-election-without-flag --nodes 3')).code).toBe(0)
})
