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

const LONGEST_FILE = 400
const LONGEST_FUNCTION = 60

test('source files stay short enough to read', () => {
  const long = tracked
    .filter((file) => /\/src\/.*\.tsx?$/.test(file))
    .filter((file) => readFileSync(`${root}${file}`, 'utf8').split('\n').length > LONGEST_FILE)
  expect(long).toEqual([])
})

test('functions stay short enough to read', () => {
  const long: string[] = []
  for (const file of tracked.filter((name) => /\/src\/.*\.tsx?$/.test(name))) {
    const text = readFileSync(`${root}${file}`, 'utf8')
    if (text.split('\n').length < LONGEST_FUNCTION) continue
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
    const visit = (node: ts.Node): void => {
      const isFunction =
        ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isArrowFunction(node)
      // A function that only holds other functions, such as a set of rules with its helpers, is a scope.
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

function holdsFunctions(body: ts.Node): boolean {
  return ts.isBlock(body) && body.statements.some((statement) => ts.isFunctionDeclaration(statement))
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
