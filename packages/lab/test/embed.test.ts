import { expect, test } from 'vitest'
import { controllerOf, readOrder } from '../src/rooms/theatre/embed-orders.ts'
import { elementText, frameText } from '../src/rooms/theatre/embed-words.ts'

test.each([
  [{ turnwise: 'play' }, { turnwise: 'play' }],
  [{ turnwise: 'pause', more: 1 }, { turnwise: 'pause' }],
  [{ turnwise: 'step' }, { turnwise: 'step', by: 1 }],
  [
    { turnwise: 'step', by: -2 },
    { turnwise: 'step', by: -2 },
  ],
  [
    { turnwise: 'seek', to: 7 },
    { turnwise: 'seek', to: 7 },
  ],
  [{ turnwise: 'seek', to: -1 }, null],
  [{ turnwise: 'seek', to: '7' }, null],
  [{ turnwise: 'seek' }, null],
  [{ turnwise: 'step', by: 0.5 }, null],
  [{ turnwise: 'crash' }, null],
  ['play', null],
  [null, null],
])('what is an order, and what is none: %j', (data, order) => {
  expect(readOrder(data)).toEqual(order)
})

test.each([
  ['?embed=1&control=https://course.example', 'https://course.example'],
  ['?embed=1&control=http%3A%2F%2F127.0.0.1%3A8080', 'http://127.0.0.1:8080'],
  ['?embed=1', null],
  ['?embed=1&control=*', null],
  ['?embed=1&control=null', null],
  ['?embed=1&control=https://course.example/page', null],
  ['?embed=1&control=data:text/html,x', null],
])('one origin may control a run, and only if the address names it: %s', (search, origin) => {
  expect(controllerOf(search)).toBe(origin)
})

test('the texts hold the address, and nothing of it ends them', () => {
  const hash = '#/theatre?algorithm=raymond&load="><script>'
  expect(frameText('https://x.example/lab/', hash)).toContain(
    'src="https://x.example/lab/?embed=1#/theatre?algorithm=raymond&amp;load=&quot;><script>"',
  )
  expect(elementText('https://x.example/lab/index.html', '#/')).toBe(
    '<script src="https://x.example/lab/turnwise-run.js" defer></script>\n<turnwise-run run="#/"></turnwise-run>',
  )
})
