/**
 * Puts a probe at the head of every stretch of a file that runs as a whole or not at all: a function, a statement, a branch. The page shows
 * beside a step which of them ran. Nothing but probes is added, and no line moves.
 */
import ts from 'typescript'
import type { ProbedFile, ProbedFunction, Stretch } from './src/code/probed-file.ts'

/** The name under which a probed text calls its probe. */
const PROBE = '__ran'

export interface Instrumented {
  /** The text with its probes, still with types. */
  readonly text: string
  /** By the number that the probe tells. Outer ones stand before inner ones. */
  readonly stretches: readonly Stretch[]
  readonly functions: readonly ProbedFunction[]
}

export function instrument(path: string, text: string): Instrumented {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const instrumentation = new Instrumentation(source)
  instrumentation.outside(source)
  return instrumentation.result()
}

/** A text that enlists a file with the module `runtime`, and then is the file with its probes. */
export function probed(path: string, original: string, runtime: string): string {
  const { text, stretches, functions } = instrument(path, original)
  const file: ProbedFile = { path, text: original, stretches, functions }
  return (
    `import { enlist as __enlist } from ${JSON.stringify(runtime)}\n` +
    // A string is read much faster than a literal.
    `const ${PROBE} = __enlist(JSON.parse(${JSON.stringify(JSON.stringify(file))}))\n${text}`
  )
}

interface Insertion {
  readonly at: number
  readonly text: string
  readonly isEnd: boolean
}

const LOGICAL: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
])

class Instrumentation {
  readonly #source: ts.SourceFile
  readonly #insertions: Insertion[] = []
  readonly #stretches: Stretch[] = []
  readonly #functions: ProbedFunction[] = []

  constructor(source: ts.SourceFile) {
    this.#source = source
  }

  result(): Instrumented {
    // Where one ends and another begins, the end comes first; else in the order of the walk, which meets outer beginnings and inner ends first.
    const sorted = this.#insertions.toSorted(
      (one, other) => one.at - other.at || Number(other.isEnd) - Number(one.isEnd),
    )
    let text = ''
    let from = 0
    for (const { at, text: inserted } of sorted) {
      text += this.#source.text.slice(from, at) + inserted
      from = at
    }
    text += this.#source.text.slice(from)
    return { text, stretches: this.#stretches, functions: this.#functions }
  }

  /** What runs when the file is loaded has no probes; the functions in it have. */
  outside(node: ts.Node): void {
    if (this.#isFunction(node)) this.#function(node)
    else if (!ts.isTypeNode(node)) ts.forEachChild(node, (child) => this.outside(child))
  }

  #isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody } {
    return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
  }

  #function(node: ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody }): void {
    const whole = declarationOf(node)
    const stretch = this.#stretch(whole.getStart(), whole.end)
    this.#functions.push({ name: nameOf(whole), stretch, from: this.#commentBefore(whole) })
    for (const parameter of node.parameters) this.#inside(parameter)
    if (ts.isBlock(node.body)) this.#block(node.body, stretch)
    else this.#expression(node.body, stretch)
  }

  /** A comment that ends on the line before belongs to it. */
  #commentBefore(node: ts.Node): number {
    const { text } = this.#source
    const [last] = (ts.getLeadingCommentRanges(text, node.pos) ?? []).slice(-1)
    const isNear = last !== undefined && text.slice(last.end, node.getStart()).split('\n').length <= 2
    return isNear ? last.pos : node.getStart()
  }

  #stretch(start: number, end: number): number {
    return this.#stretches.push([start, end]) - 1
  }

  #insert(at: number, text: string, isEnd = false): void {
    this.#insertions.push({ at, text, isEnd })
  }

  #block(block: ts.Block, stretch: number): void {
    this.#insert(block.getStart() + 1, `${PROBE}(${stretch});`)
    for (const statement of block.statements) this.#statement(statement)
  }

  #statement(node: ts.Statement): void {
    if (ts.isFunctionDeclaration(node)) return this.outside(node)
    const stretch = this.#stretch(node.getStart(), node.end)
    this.#insert(node.getStart(), `${PROBE}(${stretch});`)
    this.#inside(node)
  }

  /** A statement that runs or not as another one decides. */
  #branch(node: ts.Statement): void {
    const stretch = this.#stretch(node.getStart(), node.end)
    if (ts.isBlock(node)) return this.#block(node, stretch)
    this.#insert(node.getStart(), `{${PROBE}(${stretch});`)
    this.#inside(node)
    this.#insert(node.end, '}', true)
  }

  #expression(node: ts.Expression, stretch = this.#stretch(node.getStart(), node.end)): void {
    this.#insert(node.getStart(), `(${PROBE}(${stretch}),`)
    this.#inside(node)
    this.#insert(node.end, ')', true)
  }

  #inside(node: ts.Node): void {
    if (ts.isTypeNode(node)) return
    if (this.#isFunction(node)) return this.#function(node)
    if (ts.isIfStatement(node)) {
      this.#inside(node.expression)
      this.#branch(node.thenStatement)
      if (node.elseStatement !== undefined) this.#branch(node.elseStatement)
    } else if (ts.isConditionalExpression(node)) {
      this.#inside(node.condition)
      this.#expression(node.whenTrue)
      this.#expression(node.whenFalse)
    } else if (ts.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind)) {
      this.#inside(node.left)
      this.#expression(node.right)
    } else if (ts.isCaseBlock(node)) this.#cases(node)
    else if (ts.isBlock(node)) this.#branch(node)
    else
      ts.forEachChild(node, (child) => {
        if (ts.isIterationStatement(node, false) && child === node.statement) this.#branch(node.statement)
        else this.#inside(child)
      })
  }

  /** Cases without statements belong to the next that has some. */
  #cases({ clauses }: ts.CaseBlock): void {
    let from: number | null = null
    for (const clause of clauses) {
      from ??= clause.getStart()
      if (ts.isCaseClause(clause)) this.#inside(clause.expression)
      const [first] = clause.statements
      if (first === undefined) continue
      const stretch = this.#stretch(from, clause.end)
      this.#insert(first.getStart(), `${PROBE}(${stretch});`)
      for (const statement of clause.statements) this.#statement(statement)
      from = null
    }
  }
}

/** The function with the name that it is given: a property, or a variable. */
function declarationOf(node: ts.Node): ts.Node {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent
  if (ts.isVariableDeclaration(parent) && ts.isVariableStatement(parent.parent.parent))
    return parent.parent.parent
  return node
}

/** With the names of the objects that it is in, such as `receive.request`. A function without a name has that of what it is in. */
function nameOf(node: ts.Node): string {
  const names: string[] = []
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    const isFunction = ts.isFunctionLike(at)
    if (at !== node && isFunction && names.length > 0) break
    const named = ts.isVariableStatement(at) ? at.declarationList.declarations[0] : at
    const isPart = isFunction || ts.isPropertyAssignment(at)
    const { name } = (isPart || names.length === 0 ? named : {}) as Partial<ts.NamedDeclaration>
    if (name !== undefined) names.unshift(name.getText())
  }
  // The whole variant is a part of what its file exports.
  return names
    .join('.')
    .replaceAll("'", '')
    .replace(/^algorithm\./, '')
}
