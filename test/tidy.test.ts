import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '')

/** Sources, tests and scripts alike. */
const code = tracked
  .filter((file) => /\.(m?ts|tsx|mjs)$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }))

const LONGEST_FILE = 400
const LONGEST_FUNCTION = 60

test('files stay short enough to read', () => {
  const long = code.filter(({ text }) => text.split('\n').length > LONGEST_FILE)
  expect(long.map(({ file }) => file)).toEqual([])
})

test('functions stay short enough to read', () => {
  // To parse all files takes seconds.
  const long = code.filter(({ text }) => mayHoldALongFunction(text)).flatMap(longFunctions)
  expect(long).toEqual([])
})

/** A node of the tree that a parser makes. This parser needs a quarter of the time of the compiler. */
interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

function longFunctions({ file, text }: { file: string; text: string }): string[] {
  const long: string[] = []
  const lineOf = (position: number) => text.slice(0, position).split('\n').length
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const body = bodyOf(node as Syntax)
    if (body !== null) {
      const { start, end } = node as Syntax
      const lines = text.slice(start, end).split('\n').length
      // A function that only holds other functions, such as a set of rules with its helpers, or tests, is a scope.
      if (lines > LONGEST_FUNCTION && !holdsFunctions(body)) long.push(`${file}:${lineOf(start)}`)
    }
    Object.values(node).forEach(visit)
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return long
}

/** Of a function, a method or an arrow. */
function bodyOf(node: Syntax): Syntax | null {
  if (node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression')
    return node['body'] as Syntax
  const isMethod = node.type === 'MethodDefinition' ? node['kind'] === 'method' : node['method'] === true
  return isMethod ? ((node['value'] as Syntax)['body'] as Syntax | null) : null
}

/** By indents alone: whether a block is nearly so long. Its head may have more lines than the last of them. */
function mayHoldALongFunction(text: string): boolean {
  const open: number[] = []
  return text.split('\n').some((line, i) => {
    const indent = line.search(/\S/)
    if (indent < 0) return false
    const begun = /^[})\]]/.test(line.trimStart()) ? open[indent] : undefined
    open.length = indent
    open[indent] = i
    return begun !== undefined && i - begun >= LONGEST_FUNCTION / 2
  })
}

function holdsFunctions({ type, body }: Syntax): boolean {
  if (type !== 'BlockStatement') return false
  return (body as Syntax[]).some((each) => each.type === 'FunctionDeclaration' || isTest(each))
}

/** `test(…)`, `describe(…)`, one of their variants, or a loop of them. */
function isTest(statement: Syntax): boolean {
  if (statement.type === 'ForOfStatement') {
    const body = statement['body'] as Syntax
    return isTest(body) || holdsFunctions(body)
  }
  const expression = statement['expression'] as Syntax | undefined
  if (statement.type !== 'ExpressionStatement' || expression?.type !== 'CallExpression') return false
  let called: Syntax = expression
  while (called.type === 'CallExpression' || called.type === 'MemberExpression')
    called = (called['callee'] ?? called['object']) as Syntax
  return called.type === 'Identifier' && ['test', 'describe'].includes(called['name'] as string)
}

test('no folder for odds and ends', () => {
  expect(tracked.filter((file) => /(^|\/)(utils?|helpers?|misc|common|manager)(\.|\/)/i.test(file))).toEqual(
    [],
  )
})

test('no test is left out or alone', () => {
  const marks = tracked
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /\b(test|it|describe)\.(only|skip|todo)\(/.test(readFileSync(`${root}${file}`, 'utf8')))
  expect(marks).toEqual([])
})
