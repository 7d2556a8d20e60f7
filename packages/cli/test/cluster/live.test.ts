import colours from 'picocolors'
import { afterEach, expect, test } from 'vitest'
import { Live, type Watched } from '../../src/cluster/live.ts'
import { type Happening, Picture } from '../../src/cluster/picture.ts'
import { FakeInput, FakeOutput } from './fake-terminal.ts'

let live: Live | null = null
afterEach(() => live?.close())

function opened() {
  const deeds: string[] = []
  const happenings: Happening[] = []
  const picture = new Picture(['a', 'b', 'c'], ['orders'], (happening) => happenings.push(happening))
  const session: Watched = {
    options: {
      ids: ['a', 'b', 'c'],
      names: ['orders'],
      algorithm: 'raymond',
      leaseMs: 2000,
      seed: 1,
      for: null,
      faults: [],
      isAttended: true,
      record: null,
      place: null,
      distance: null,
    },
    elapsed: 1000,
    snapshot: () => ({ ...picture.snapshot(0), place: null }),
    act(id, deed) {
      if (deed === 'heal') return `${id} is not cut off: x cuts it off`
      deeds.push(`${deed} ${id}`)
      picture.does(id, deed, 0)
      return null
    },
    stop: () => void deeds.push('stop'),
  }
  const input = new FakeInput()
  const output = new FakeOutput()
  live = new Live(session, happenings, '', colours.createColors(false), input, output)
  return { input, output, deeds }
}

test('keys act on the node that is selected, and the table shows it at once', () => {
  const { input, output, deeds } = opened()
  expect(output.take()).toContain('▸ 1 a')
  input.emit('data', '2')
  expect(output.take()).toContain('▸ 2 b')
  input.emit('data', 'k')
  const shown = output.take()
  expect(shown).toContain('▸ 2 b     killed')
  expect(shown).toContain('b is killed with kill -9')
  input.emit('data', '\u001B[Bpz')
  input.emit('data', 'q')
  expect(deeds).toEqual(['kill b', 'pause c', 'stop'])
})

test('what cannot be done is said, until the next key', () => {
  const { input, output } = opened()
  output.take()
  input.emit('data', 'h')
  expect(output.take()).toContain('a is not cut off: x cuts it off')
  input.emit('data', '2')
  expect(output.take()).toContain(';1H\u001B[0m\u001B[K')
})

test('another size is drawn for', () => {
  const { output } = opened()
  expect(output.take()).toContain('p99 wait')
  output.columns = 44
  output.emit('resize')
  const shown = output.take()
  expect(shown).toContain('turns/s')
  expect(shown).not.toContain('p99 wait')
})
