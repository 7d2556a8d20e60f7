import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import { expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { command } from './in-process.ts'

const all = [...gallery, ...brokenElections]

/** That each variant fails is tested where the variants are; here it is the command line that shows it. */
const SHOWN = extent(50, 5, 1)

test.each(all.map(({ algorithm, ...variant }, i) => [algorithm.facts.name, variant, i] as const))(
  'explain %s tells rule, failure and repair, and the command that shows the failure',
  async (name, { fails, repair, takesLong }, i) => {
    const { code, out } = await command(`explain ${name}`)
    expect(code).toBe(0)
    expect(out.replaceAll('\n', ' ')).toContain(repair)
    const last = out.split('\n').at(-1) ?? ''
    expect(last).toContain(`turnwise check ${name}`)
    if (takesLong === true || i % SHOWN !== 0) return
    const checked = await command(`${last.slice('turnwise '.length)} --json`)
    expect(checked.code).toBe(1)
    const { properties } = JSON.parse(checked.out) as {
      properties: { name: string; holds: boolean | null }[]
    }
    expect(properties.filter(({ holds }) => holds === false).map((property) => property.name)).toContain(
      fails,
    )
  },
)

test('algorithms --broken lists them all', async () => {
  const { out } = await command('algorithms --broken')
  for (const { algorithm } of all) expect(out).toContain(algorithm.facts.name)
  const json = JSON.parse((await command('algorithms --broken --json')).out) as { name: string }[]
  expect(json.map(({ name }) => name)).toEqual(all.map(({ algorithm }) => algorithm.facts.name))
})
