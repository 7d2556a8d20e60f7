import { createElement, type ReactElement } from 'react'
import type { Shape } from '../scene/shape.ts'

/** A shape as an element. */
export function drawn({ tag, key, attributes, children }: Shape): ReactElement {
  return createElement(
    tag,
    { key, ...attributes },
    ...children.map((child) => (typeof child === 'string' ? child : drawn(child))),
  )
}
