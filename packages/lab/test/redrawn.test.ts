import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { Redrawn } from '../src/rooms/drawn.tsx'
import { type Shape, shape } from '../src/scene/svg-shape.ts'

const node = (name: string, text: string, isActive = false): Shape =>
  shape('g', name, isActive ? { className: 'active' } : {}, [
    shape('circle', 'body', { r: 9 }),
    shape('text', 'name', {}, [text]),
  ])

const group = (...nodes: Shape[]) => [shape('g', 'nodes', {}, nodes)]

/** The elements within the first element that is drawn. */
function inner(redrawn: Redrawn, shapes: readonly Shape[]): readonly unknown[] {
  const { props } = get(redrawn.draw(shapes) as { props: { children: unknown[] } }[], 0)
  return props.children
}

test('what did not change is the same element as before', () => {
  const redrawn = new Redrawn()
  const [first] = redrawn.draw(group(node('a', '0'), node('b', '1')))
  const [second] = redrawn.draw(group(node('a', '0'), node('b', '1')))
  expect(second).toBe(first)
})

test.each([
  ['a text', node('b', '2')],
  ['an attribute', node('b', '1', true)],
  ['what is in it', shape('g', 'b', {}, [shape('circle', 'body', { r: 9 })])],
])('what changed is another element, and its neighbours stay: %s', (_, changed) => {
  const redrawn = new Redrawn()
  const before = inner(redrawn, group(node('a', '0'), node('b', '1'), node('c', '2')))
  const after = inner(redrawn, group(node('a', '0'), changed, node('c', '2')))
  expect(after.map((element, i) => element === before[i])).toEqual([true, false, true])
})

test('another order, one more and one less are another picture', () => {
  const redrawn = new Redrawn()
  const both = () => group(node('a', '0'), node('b', '1'))
  const turned = group(node('b', '1'), node('a', '0'))
  const pictures = [both(), turned, group(node('b', '1')), both()].map((shapes) =>
    get(redrawn.draw(shapes), 0),
  )
  expect(new Set(pictures).size).toBe(4)
  expect(pictures.map((picture) => (picture.props as { children: unknown[] }).children.length)).toEqual([
    2, 2, 1, 2,
  ])
})
