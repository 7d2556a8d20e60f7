/** What a rule sets, by the names of CSS: `stroke`, `font`. */
export type Declarations = Readonly<Record<string, string>>

/** The tag and the classes of a shape, or of what is around it. */
export interface Named {
  readonly tag: string
  readonly classes: readonly string[]
}

/** A rule of a style sheet for one selector. */
export interface Rule {
  /** The outermost first; an empty tag stands for any. */
  readonly parts: readonly Named[]
  readonly sets: Declarations
}

/**
 * The rules of a style sheet, the weakest first: for pictures in forms that have no style sheets. It reads classes and tags, one inside the
 * other. What depends on the page around a picture (states, attributes, media) is left out.
 */
export function readRules(css: string): Rule[] {
  const plain = css.replace(/\/\*[^]*?\*\//g, '').replace(/@[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '')
  const rules = [...plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
    selectors
      .split(',')
      .map((selector) => selector.trim())
      .filter((selector) => /^[\w. -]+$/.test(selector))
      .map((selector): Rule => ({ parts: selector.split(/\s+/).map(partOf), sets: declarations(body) })),
  )
  return rules.toSorted((a, b) => weight(a) - weight(b))
}

function partOf(text: string): Named {
  const [tag = '', ...classes] = text.split('.')
  return { tag, classes }
}

function declarations(body: string): Declarations {
  const pairs = body.split(';').flatMap((line) => {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.+?)\s*$/s.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}

/** A class weighs more than any number of tags (Selectors 4, section 17). */
function weight({ parts }: Rule): number {
  return parts.reduce((sum, { tag, classes }) => sum + 100 * classes.length + (tag === '' ? 0 : 1), 0)
}

/** What the rules set for the last of these shapes, each of which is inside the one before. */
export function ownStyle(rules: readonly Rule[], nested: readonly Named[]): Declarations {
  return Object.assign({}, ...rules.filter(({ parts }) => fits(parts, nested)).map(({ sets }) => sets))
}

function fits(parts: readonly Named[], nested: readonly Named[]): boolean {
  const [last, ...rest] = parts.toReversed()
  const [innermost, ...around] = nested.toReversed()
  if (last === undefined || innermost === undefined || !is(innermost, last)) return false
  let left = rest
  for (const one of around) if (left[0] !== undefined && is(one, left[0])) left = left.slice(1)
  return left.length === 0
}

function is(shape: Named, { tag, classes }: Named): boolean {
  return (tag === '' || tag === shape.tag) && classes.every((name) => shape.classes.includes(name))
}
