import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
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
  const long: string[] = []
  for (const { file, text } of code) {
    // To parse all files takes seconds.
    if (!mayHoldALongFunction(text)) continue
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
    const visit = (node: ts.Node): void => {
      const isFunction =
        ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isArrowFunction(node)
      // A function that only holds other functions, such as a set of rules with its helpers, or tests, is a scope.
      const isScope = isFunction && node.body !== undefined && holdsFunctions(node.body)
      if (isFunction && !isScope && lineOf(node.end) - lineOf(node.getStart(source)) >= LONGEST_FUNCTION) {
        long.push(`${file}:${lineOf(node.getStart(source)) + 1}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  expect(long).toEqual([])
})

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

function holdsFunctions(body: ts.Node): boolean {
  return ts.isBlock(body) && body.statements.some((each) => ts.isFunctionDeclaration(each) || isTest(each))
}

/** `test(…)`, `describe(…)`, one of their variants, or a loop of them. */
function isTest(statement: ts.Statement): boolean {
  if (ts.isForOfStatement(statement))
    return isTest(statement.statement) || holdsFunctions(statement.statement)
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return false
  let called: ts.Expression = statement.expression.expression
  while (ts.isPropertyAccessExpression(called) || ts.isCallExpression(called)) called = called.expression
  return ts.isIdentifier(called) && ['test', 'describe'].includes(called.text)
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
