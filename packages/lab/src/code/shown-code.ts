import { get } from '@turnwise/core/bounds'
import type { EnlistedFile } from './code-probes.ts'

/** A function that ran in a step, as it is written. */
export interface ShownFunction {
  /** Such as `receive.request`; empty if it has none. */
  readonly name: string
  /** The path of its file in the package of the algorithms. */
  readonly path: string
  readonly lines: readonly ShownLine[]
}

export interface ShownLine {
  readonly number: number
  /** Whether any of it ran. */
  readonly isLit: boolean
  readonly parts: readonly ShownPart[]
}

/** Some characters of a line that have the same to say. */
export interface ShownPart {
  readonly text: string
  readonly is: 'ran' | 'not' | 'comment'
  /** If it is the name of a variable of the node: which. */
  readonly field: string | null
}

/** The functions that ran in a step, in the order in which they were called. Functions within one that ran are shown in it. */
export function shownCode(
  files: readonly EnlistedFile[],
  way: readonly number[],
  fields: ReadonlySet<string>,
): ShownFunction[] {
  const ran = new Set(way)
  const found = files.flatMap((file) =>
    file.functions
      .filter(({ stretch }) => ran.has(file.first + stretch) && !isWithin(file, stretch, ran))
      .map((each) => ({ file, each, at: way.indexOf(file.first + each.stretch) })),
  )
  return found
    .toSorted((one, other) => one.at - other.at)
    .map(({ file, each }) => ({
      name: each.name,
      path: file.path,
      lines: linesOf(file, each, ran, fields),
    }))
}

/** Whether another function that ran is around it. */
function isWithin(
  { functions, stretches, first }: EnlistedFile,
  stretch: number,
  ran: ReadonlySet<number>,
): boolean {
  const [start, end] = get(stretches, stretch)
  return functions.some((other) => {
    if (other.stretch === stretch || !ran.has(first + other.stretch)) return false
    const [from, to] = get(stretches, other.stretch)
    return from <= start && end <= to
  })
}

const NOT = 0
const RAN = 1
const COMMENT = 2
const KINDS = ['not', 'ran', 'comment'] as const

/** Comments, and strings: what looks like a comment in them is none. */
const APART = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

function linesOf(
  { text, stretches, first }: EnlistedFile,
  { stretch, from }: { readonly stretch: number; readonly from: number },
  ran: ReadonlySet<number>,
  fields: ReadonlySet<string>,
): ShownLine[] {
  const [start, end] = get(stretches, stretch)
  const top = text.lastIndexOf('\n', from - 1) + 1
  const below = text.indexOf('\n', end)
  const bottom = below < 0 ? text.length : below
  const kinds = new Uint8Array(bottom - top)
  // Outer ones come first: what an inner one says of its part counts.
  stretches.forEach(([begin, stop], index) => {
    if (start <= begin && stop <= end) kinds.fill(ran.has(first + index) ? RAN : NOT, begin - top, stop - top)
  })
  const shown = text.slice(top, bottom)
  for (const { 0: found, index } of shown.matchAll(APART))
    if (found.startsWith('/')) kinds.fill(COMMENT, index, index + found.length)
  const before = text.slice(0, top).split('\n').length
  let at = 0
  return shown.split('\n').map((line, row) => {
    const parts = partsOf(line, kinds.subarray(at, at + line.length), fields)
    at += line.length + 1
    return {
      number: before + row,
      isLit: parts.some((part) => part.is === 'ran' && part.text.trim() !== ''),
      parts,
    }
  })
}

function partsOf(line: string, kinds: Uint8Array, fields: ReadonlySet<string>): ShownPart[] {
  const named = new Map<number, string>()
  for (const { 0: name, index } of line.matchAll(/[A-Za-z_]\w*/g))
    if (fields.has(name) && isVariable(line, index, name)) named.set(index, name)
  const parts: ShownPart[] = []
  for (let at = 0; at < line.length; ) {
    const kind = kinds[at]
    const field = kind === COMMENT ? null : (named.get(at) ?? null)
    let to = at + (field?.length ?? 1)
    if (field === null)
      while (to < line.length && kinds[to] === kind && (kind === COMMENT || !named.has(to))) to += 1
    parts.push({ text: line.slice(at, to), is: KINDS[kind ?? NOT] ?? 'not', field })
    at = to
  }
  return parts
}

/** A variable of the node is read from its state, as in `node.holder`. What the host gives, and functions, may have the same names. */
function isVariable(line: string, index: number, name: string): boolean {
  const isRead = /\b(?!here\b|setup\b)\w+\??\.$/.test(line.slice(0, index))
  return isRead && !line.slice(index + name.length).startsWith('(')
}
