import { describe, expect, test } from 'vitest'
import { assumptionGrid } from '../../../scripts/grid/cells.ts'
import { extent } from '../../../test/extent.ts'
import { inGroups } from '../src/rooms/algorithm-order.ts'
import { type Filter, findingsAt, nameOf, placeNamed, shownBy } from '../src/rooms/assumptions/records.ts'
import { answering } from '../src/rooms/checking/answer.ts'
import { instanceOf, readQuestion } from '../src/rooms/checking/check-question.ts'
import { known } from '../src/run/spec.ts'
import type { Query } from '../src/shell/address.ts'

const grid = assumptionGrid()
const ALL: Filter = { algorithm: '', without: '', result: '' }

function answerTo(query: Query) {
  const steps = answering(instanceOf(readQuestion(query)))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

describe('the grid on the page', () => {
  test('has a row for each algorithm, and a cell for each record', () => {
    const { rows, columns } = shownBy(grid, ALL)
    expect(rows).toHaveLength(known.length)
    const cells = Object.entries(grid).flatMap(([name, row]) =>
      Object.keys(row).map((without) => `${name}/${without}`),
    )
    expect(cells.filter((cell) => placeNamed(cell) === null)).toEqual([])
    expect(columns).toHaveLength(7)
  })

  test('begins with the algorithms that courses tell of, as every list does', () => {
    const { rows } = shownBy(grid, ALL)
    expect(rows.slice(0, 3).map(({ facts }) => facts.name)).toEqual(['ricart-agrawala', 'lamport', 'maekawa'])
    expect(rows).toEqual(inGroups(known).flatMap(({ list }) => list))
  })

  test('is filtered by algorithm, assumption and result', () => {
    const names = (filter: Partial<Filter>) =>
      shownBy(grid, { ...ALL, ...filter }).rows.map(({ facts }) => facts.name)
    expect(names({ algorithm: 'RAYMOND' })).toContain('raymond-k')
    expect(names({ algorithm: 'raymond' })).not.toContain('lamport')
    expect(shownBy(grid, { ...ALL, without: 'order' }).columns.map(({ name }) => name)).toEqual(['order'])
    const unsafe = names({ without: 'order', result: 'unsafe' })
    expect(unsafe).toContain('lamport')
    expect(unsafe).not.toContain('ricart-agrawala')
    expect(names({ algorithm: 'nobody' })).toEqual([])
  })

  test('an address that names no cell names none', () => {
    for (const word of [undefined, '', 'raymond', 'raymond/none', 'none/loss'])
      expect(placeNamed(word)).toBeNull()
  })
})

describe('a property that fails in a cell fails on the page, in as many steps', () => {
  const FEW = ['raymond/amnesia']
  const MORE = [
    'lamport/order',
    'token-queue/twice',
    'mishra-srimani/delay',
    'suzuki-kasami/crash',
    'bully/delay',
    'maekawa/loss',
  ]
  test.each(extent(FEW, MORE, [...FEW, ...MORE]))('%s', (cell) => {
    const place = placeNamed(cell)
    if (place === null) throw new Error(`no cell ${cell}`)
    expect(nameOf(place)).toBe(cell)
    const failing = findingsAt(grid, place).filter(({ is }) => is === 'fails')
    expect(failing.length).toBeGreaterThan(0)
    for (const { property, query, fails, command } of failing) {
      const { failure } = answerTo(query)
      expect(failure?.property).toBe(property)
      const times = failure?.trace.events.filter(({ is }) => is !== 'violation').map(({ at }) => at)
      expect(new Set(times).size).toBe(fails)
      expect(command).toContain(`--only ${property}`)
    }
  })
})
