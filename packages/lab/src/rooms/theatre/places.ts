import type { Shape } from '../../scene/svg-shape.ts'

/**
 * Lends a place to each shape of a list for as long as it is there, and lends it again to another of its kind when it is
 * gone. With the place as its key an element that one message leaves is taken over by the next, and one that stays (it may
 * have the focus) is never exchanged. Making elements costs several times what changing them does, a text that stays the same
 * costs nothing, and scrubbing exchanges all messages at once.
 */
export class Places {
  #lent = new Map<string, string>()

  /** The same shapes with their places as keys, in the order of the places: then no element has to move. */
  put({ children, ...group }: Shape): Shape {
    const shapes = children.filter((child) => typeof child !== 'string')
    const lent = new Map<string, string>()
    for (const { key, attributes } of shapes) {
      const place = this.#lent.get(key)
      if (place?.startsWith(`${attributes['className']} `) === true) lent.set(key, place)
    }
    const taken = new Set(lent.values())
    const next = new Map<string, number>()
    for (const { key, attributes } of shapes) {
      if (lent.has(key)) continue
      const kind = String(attributes['className'])
      let number = next.get(kind) ?? 0
      while (taken.has(placeOf(kind, number))) number += 1
      next.set(kind, number + 1)
      lent.set(key, placeOf(kind, number))
    }
    this.#lent = lent
    const placed = shapes.map((child) => ({ ...child, key: lent.get(child.key) ?? child.key }))
    return { ...group, children: placed.toSorted((a, b) => (a.key < b.key ? -1 : 1)) }
  }
}

/** Shapes are of one kind if they are of the same class. */
function placeOf(kind: string, number: number): string {
  return `${kind} ${String(number).padStart(5, '0')}`
}
