import type { ReactElement } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { Shape } from '../scene/shape.ts'

/** A shape as an element. Called hundreds of times per frame, and `createElement` would copy the attributes once more. */
export function drawn({ tag, key, attributes, children }: Shape): ReactElement {
  if (children.length === 0) return jsx(tag, attributes, key)
  const inner =
    children.length === 1 && typeof children[0] === 'string'
      ? children[0]
      : children.map((child) => (typeof child === 'string' ? child : drawn(child)))
  return jsx(tag, { ...attributes, children: inner }, key)
}
