/**
 * Small changes to the text of an algorithm, one at a time: a comparison, a constant, a branch, a statement that is missing. What only
 * tells (facts, options, shapes, reasons, types) is left alone.
 */
import ts from 'typescript'

export interface Mutant {
  /** From 1. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

const SWAPS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
])

/** Of an algorithm: what only tells. */
const TELLING = new Set(['facts', 'options', 'shapes', 'tokens'])

export function mutantsOf(text: string): Mutant[] {
  const source = ts.createSourceFile('algorithm.ts', text, ts.ScriptTarget.ESNext, true)
  const found: Mutant[] = []
  const change = (node: ts.Node, after: string) => {
    const start = node.getStart(source)
    const { line } = source.getLineAndCharacterOfPosition(start)
    found.push({ line: line + 1, start, end: node.end, before: node.getText(source), after })
  }
  const isUsed = usesIn(source)
  const onlyTells = tellersIn(source)
  const visit = (node: ts.Node): void => {
    if (isTelling(node) || onlyTells(node) || !isUsed(node)) return
    mutate(node, change)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Names a mutant as long as its line stays: the line without its margin, and what is changed in it. */
export function lineOf(text: string, { start }: Mutant): string {
  const end = text.indexOf('\n', start)
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, end < 0 ? undefined : end).trim()
}

export function applied(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end)
}

function isTelling(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isCallExpression(node) && isReason(node)) return true
  // What papers prove cannot happen does not happen.
  if (ts.isCallExpression(node) && node.expression.getText() === 'impossible') return true
  // Where several algorithms share their facts, options, shapes or formulas, these stand apart.
  if (ts.isVariableDeclaration(node))
    return (
      /(OPTIONS|SHAPES)$/.test(node.name.getText()) ||
      isOfType(node, /^(Facts|OptionSpecs|Shapes|DataShapes)\b/)
    )
  if (ts.isFunctionDeclaration(node)) return isOfType(node, /^(Prediction$|Shapes\b)/)
  return ts.isPropertyAssignment(node) && TELLING.has(node.name.getText())
}

function isOfType({ type }: { readonly type?: ts.TypeNode | undefined }, name: RegExp): boolean {
  return type !== undefined && name.test(type.getText())
}

/**
 * Whether a statement, or a whole function, only says reasons: a choice between some of them, or a call of a function that does nothing else.
 * Nothing but words depends on it. A `return` only tells inside such a function: elsewhere it decides what is done next.
 */
function tellersIn(source: ts.SourceFile): (node: ts.Node) => boolean {
  const tellers = new Set<string>()
  const says = (node: ts.Expression): boolean => {
    if (ts.isConditionalExpression(node)) return says(node.whenTrue) && says(node.whenFalse)
    return ts.isCallExpression(node) && (isReason(node) || tellers.has(node.expression.getText(source)))
  }
  const tells = (node: ts.Node | undefined, mayReturn: boolean): boolean => {
    const allTell = (nodes: readonly ts.Node[]) => nodes.every((each) => tells(each, mayReturn))
    if (node === undefined) return true
    if (ts.isBlock(node)) return allTell(node.statements)
    if (ts.isIfStatement(node)) return allTell([node.thenStatement]) && tells(node.elseStatement, mayReturn)
    if (ts.isSwitchStatement(node))
      return node.caseBlock.clauses.every(({ statements }) => allTell(statements))
    if (ts.isReturnStatement(node))
      return mayReturn && (node.expression === undefined || says(node.expression))
    return ts.isExpressionStatement(node) && says(node.expression)
  }
  for (const statement of source.statements) {
    if (!ts.isFunctionDeclaration(statement) || statement.body === undefined) continue
    const rest = statement.body.statements.filter((inner) => !ts.isVariableStatement(inner))
    const saysSomething = rest.some((inner) => !ts.isReturnStatement(inner) || inner.expression !== undefined)
    if (saysSomething && rest.every((inner) => tells(inner, true)) && statement.name)
      tellers.add(statement.name.text)
  }
  return (node) =>
    ts.isFunctionDeclaration(node)
      ? tellers.has(node.name?.text ?? '')
      : ts.isStatement(node) && !ts.isBlock(node) && tells(node, false)
}

/**
 * Whether a function or a number with a name is used by more than what only tells, by itself or by others that are: formulas, and numbers for
 * options, stand beside the facts. Everything else is used.
 */
function usesIn(source: ts.SourceFile): (node: ts.Node) => boolean {
  const named = new Map<string, ts.Node>()
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) named.set(statement.name.text, statement)
    const number = numberIn(statement)
    if (number !== null) named.set(number.name.getText(source), number)
  }
  const declared = new Set(named.values())
  const used = new Set<ts.Node>()
  const visit = (node: ts.Node): void => {
    if (isTelling(node)) return
    const meant = ts.isIdentifier(node) ? named.get(node.text) : undefined
    if (meant !== undefined) use(meant)
    ts.forEachChild(node, visit)
  }
  const use = (node: ts.Node): void => {
    if (used.has(node)) return
    used.add(node)
    ts.forEachChild(node, visit)
  }
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) ? isExported(statement) : numberIn(statement) === null) {
      if (declared.has(statement)) use(statement)
      else visit(statement)
    }
  }
  return (node) => !declared.has(node) || used.has(node)
}

/** The declaration in `const NAME = 100`, if only this file can use it. */
function numberIn(statement: ts.Statement): ts.VariableDeclaration | null {
  if (!ts.isVariableStatement(statement) || isExported(statement)) return null
  const [only] = statement.declarationList.declarations
  return only?.initializer !== undefined && ts.isNumericLiteral(only.initializer) ? only : null
}

function isExported({ modifiers }: ts.FunctionDeclaration | ts.VariableStatement): boolean {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
}

function isReason({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'because'
}

function mutate(node: ts.Node, change: (node: ts.Node, after: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const swap = SWAPS.get(node.operatorToken.kind)
    if (swap !== undefined && !isText(node.left) && !isText(node.right)) change(node.operatorToken, swap)
  } else if (ts.isNumericLiteral(node)) change(node, String(Number(node.text) + 1))
  else if (node.kind === ts.SyntaxKind.TrueKeyword) change(node, 'false')
  else if (node.kind === ts.SyntaxKind.FalseKeyword) change(node, 'true')
  else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    change(node, node.operand.getText())
  else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    change(condition, 'true')
    // Where the other branch is impossible, it stays so.
    if (!(ts.isIfStatement(node) && /\bimpossible\(/.test(node.thenStatement.getText())))
      change(condition, 'false')
  } else if (ts.isExpressionStatement(node)) {
    const { expression } = node
    if (!isTelling(expression)) change(node, ';')
  }
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}
