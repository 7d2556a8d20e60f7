import type { ReactElement } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { Shape } from '../scene/svg-shape.ts'

/** A shape as an element. Called hundreds of times per frame, and `createElement` would copy the attributes once more. */
export function drawn({ tag, key, attributes, children }: Shape): ReactElement {
  if (children.length === 0) return jsx(tag, attributes, key)
  const inner =
    children.length === 1 && typeof children[0] === 'string'
      ? children[0]
      : children.map((child) => (typeof child === 'string' ? child : drawn(child)))
  return jsx(tag, { ...attributes, children: inner }, key)
}

/** A shape and the element that was made of it. */
interface Kept {
  readonly shape: Shape
  readonly element: ReactElement
  /** What was made of its children, by their keys. */
  readonly inner: ReadonlyMap<string, Kept>
}

/**
 * Draws the same few shapes again and again, as a picture of one moment after the other. What is as it was before is the same
 * element as before, and React leaves that alone with all that is in it.
 */
export class Redrawn {
  #kept: ReadonlyMap<string, Kept> = new Map()

  draw(shapes: readonly Shape[]): ReactElement[] {
    const drawnNow = shapes.map((each) => again(each, this.#kept.get(each.key)))
    this.#kept = byKey(drawnNow)
    return drawnNow.map(({ element }) => element)
  }
}

function again(shape: Shape, before: Kept | undefined): Kept {
  const { tag, key, attributes, children } = shape
  const kept = children.map((child) =>
    typeof child === 'string' ? child : again(child, before?.inner.get(child.key)),
  )
  if (before !== undefined && isSame(shape, before, kept)) return before
  const inner = kept.map((child) => (typeof child === 'string' ? child : child.element))
  const only = inner.length === 1 && typeof inner[0] === 'string' ? inner[0] : inner
  const element = jsx(tag, inner.length === 0 ? attributes : { ...attributes, children: only }, key)
  return { shape, element, inner: byKey(kept.filter((child) => typeof child !== 'string')) }
}

/** Whether nothing about it changed. Children are the same objects then, in the same order. */
function isSame(now: Shape, { shape, inner }: Kept, children: readonly (Kept | string)[]): boolean {
  if (now.tag !== shape.tag || children.length !== shape.children.length) return false
  const names = Object.keys(now.attributes)
  if (names.length !== Object.keys(shape.attributes).length) return false
  return (
    names.every((name) => now.attributes[name] === shape.attributes[name]) &&
    children.every((child, i) => {
      const old = shape.children[i]
      return typeof child === 'string'
        ? child === old
        : typeof old === 'object' && inner.get(old.key) === child
    })
  )
}

function byKey(all: readonly Kept[]): ReadonlyMap<string, Kept> {
  return new Map(all.map((each) => [each.shape.key, each]))
}
