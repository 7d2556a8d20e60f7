/**
 * What is drawn, as data: an element of SVG with its attributes and what is inside it. The page hands shapes to React, tests
 * and exports write them as text, and both show the same picture.
 */
export interface Shape {
  readonly tag: 'g' | 'circle' | 'line' | 'path' | 'text' | 'rect' | 'polygon' | 'title'
  /** Names as React has them. */
  readonly attributes: Attributes
  readonly children: readonly (Shape | string)[]
  /** Tells a shape from its neighbours when they come and go. */
  readonly key: string
}

export type Attributes = Readonly<Record<string, string | number | undefined>>

export function shape(
  tag: Shape['tag'],
  key: string,
  attributes: Attributes,
  children: readonly (Shape | string)[] = [],
): Shape {
  return { tag, key, attributes, children }
}

/** Coordinates to a tenth of a unit: finer is not seen, and differs between machines. */
export function round(value: number): number {
  return Math.round(value * 10) / 10 + 0
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
}

/** `className` and `strokeWidth` are React's names; SVG's own `viewBox` and `markerEnd` are told apart here. */
function attributeName(name: string): string {
  if (name === 'className') return 'class'
  if (name === 'viewBox') return name
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export function svgText({ tag, attributes, children }: Shape, indent = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${attributeName(name)}="${escaped(String(value))}"`)
    .join('')
  if (children.length === 0) return `${indent}<${tag}${written}/>`
  if (children.every((child) => typeof child === 'string'))
    return `${indent}<${tag}${written}>${children.map(escaped).join('')}</${tag}>`
  const inner = children.map((child) =>
    typeof child === 'string' ? `${indent}  ${escaped(child)}` : svgText(child, `${indent}  `),
  )
  return `${indent}<${tag}${written}>\n${inner.join('\n')}\n${indent}</${tag}>`
}

/** A picture that stands alone. `style` is what its classes mean. */
export function svgFile(shapes: readonly Shape[], width: number, height: number, style = ''): string {
  const inner = shapes.map((child) => svgText(child, '  ')).join('\n')
  const sheet = style === '' ? '' : `\n  <style>${style}</style>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${sheet}\n${inner}\n</svg>\n`
}
