/**
 * TypeScript to JavaScript by erasing: types become blanks, so that every line and nearly every column stays where it was, and an error of
 * the result has a place in the text. The project allows only such syntax (`erasableSyntaxOnly`); anything else is refused. Imports and
 * exports become `require` and `exports`, so that the code that evaluates it decides what can be imported.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser } from 'acorn'
import { FaultyText, placeAt } from './faulty-text.ts'

/** A name that is imported as a value. */
export interface Imported {
  readonly module: string
  /** The name that the module must export; null if the whole module is imported. */
  readonly name: string | null
  /** Where in the text the name is. */
  readonly position: number
}

/** Where a text names a module, quotes included. */
export interface Source {
  readonly module: string
  readonly start: number
  readonly end: number
}

/** An import with names in braces. */
export interface ImportStatement {
  readonly module: string
  readonly start: number
  readonly end: number
  /** Each name as it is called here, and as it is written, `type` included. */
  readonly names: readonly { readonly local: string; readonly written: string }[]
}

export interface Compiled {
  /** The body of a function of `require` and `exports`. */
  readonly code: string
  readonly imports: readonly Imported[]
  /** Of types too. */
  readonly sources: readonly Source[]
  readonly statements: readonly ImportStatement[]
}

/** A node of the tree, as far as it is looked at here. */
interface Tree {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const TypeScript = Parser.extend(tsPlugin())

export function compile(text: string): Compiled {
  const compilation = new Compilation(text)
  compilation.module(parse(text))
  return compilation.result()
}

function parse(text: string): Tree {
  try {
    const program: unknown = TypeScript.parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
    })
    return program as Tree
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { pos = 0 } = error as { pos?: number }
    throw new FaultyText(error.message.replace(/ \(\d+:\d+\)$/, ''), placeAt(text, pos), { cause: error })
  }
}

/** With what to write instead. */
const NOT_ERASABLE: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'an enum is more than a type: use a union of literals',
  TSModuleDeclaration: 'a namespace is more than a type: use plain declarations',
  TSParameterProperty: 'a parameter property is more than a type: declare the field and set it',
  TSImportEqualsDeclaration: 'import = is not supported: use import { … } from',
  TSExportAssignment: 'export = is not supported: use export const',
}

/** Statements that are types altogether. */
const TYPE_STATEMENTS = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSNamespaceExportDeclaration',
])

class Compilation {
  readonly #text: string
  readonly #edits: Edit[] = []
  readonly #imports: Imported[] = []
  readonly #sources: Source[] = []
  readonly #statements: ImportStatement[] = []
  /** Added at the end, when all that is exported has its value. */
  readonly #exports: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  module(program: Tree): void {
    for (const statement of trees(program['body'])) this.#statement(statement)
  }

  result(): Compiled {
    let code = ''
    let at = 0
    for (const { start, end, text } of this.#edits.toSorted((one, other) => one.start - other.start)) {
      // What is inside something erased is erased with it.
      if (start < at) continue
      code += this.#text.slice(at, start) + text
      at = end
    }
    code += this.#text.slice(at)
    const named = this.#exports.map((line) => `\n${line}`).join('')
    return {
      code: `${code}${named}`,
      imports: this.#imports,
      sources: this.#sources,
      statements: this.#statements,
    }
  }

  #statement(tree: Tree): void {
    if (tree.type === 'ImportDeclaration') return this.#import(tree)
    if (tree.type.startsWith('Export')) return this.#export(tree)
    this.#visit(tree)
  }

  #import(tree: Tree): void {
    const module = this.#source(tree)
    const names = trees(tree['specifiers'])
    this.#note(tree, module, names)
    const values = tree['importKind'] === 'type' ? [] : names.filter((name) => name['importKind'] !== 'type')
    if (names.length > 0 && values.length === 0) return this.#erase(tree)
    const parts: string[] = []
    let all = ''
    for (const value of values) {
      const local = nameOf(value['local'])
      const name = value.type === 'ImportSpecifier' ? nameOf(value['imported']) : 'default'
      const isAll = value.type === 'ImportNamespaceSpecifier'
      this.#imports.push({ module, name: isAll ? null : name, position: value.start })
      if (isAll) all = `const ${local} = require(${JSON.stringify(module)});`
      else parts.push(`${name}: ${local}`)
    }
    if (names.length === 0) this.#imports.push({ module, name: null, position: tree.start })
    const some =
      parts.length === 0 ? '' : `const { ${parts.join(', ')} } = require(${JSON.stringify(module)});`
    this.#replace(tree, `${some}${all}`)
  }

  #note({ start, end, importKind }: Tree, module: string, names: readonly Tree[]): void {
    const type = importKind === 'type' ? 'type ' : ''
    this.#statements.push({
      module,
      start,
      end,
      names: names.map((name) => ({
        local: nameOf(name['local']),
        written: `${type}${this.#text.slice(name.start, name.end)}`,
      })),
    })
  }

  #export(tree: Tree): void {
    const { type, start } = tree
    const declaration = treeOf(tree['declaration'])
    if (type === 'ExportDefaultDeclaration' && declaration !== null) {
      this.#edits.push({ start, end: declaration.start, text: 'exports.default = ' })
      return this.#visit(declaration)
    }
    const module = treeOf(tree['source']) === null ? null : this.#source(tree)
    if (tree['exportKind'] === 'type' || (declaration !== null && TYPE_STATEMENTS.has(declaration.type)))
      return this.#erase(tree)
    if (declaration !== null) {
      this.#edits.push({ start, end: declaration.start, text: '' })
      for (const name of declared(declaration)) this.#exports.push(`exports.${name} = ${name};`)
      return this.#visit(declaration)
    }
    const from = module === null ? null : `require(${JSON.stringify(module)})`
    if (type === 'ExportAllDeclaration') this.#exports.push(`Object.assign(exports, ${from});`)
    for (const name of trees(tree['specifiers']).filter((each) => each['exportKind'] !== 'type')) {
      const [local, exported] = [nameOf(name['local']), nameOf(name['exported'])]
      if (module !== null) this.#imports.push({ module, name: local, position: name.start })
      this.#exports.push(`exports.${exported} = ${from === null ? local : `${from}.${local}`};`)
    }
    this.#erase(tree)
  }

  #source(tree: Tree): string {
    const { start, end, value } = treeOf(tree['source']) as Tree
    const module = String(value)
    this.#sources.push({ module, start, end })
    return module
  }

  #visit(tree: Tree): void {
    const refusal = NOT_ERASABLE[tree.type]
    if (refusal !== undefined) throw new FaultyText(refusal, placeAt(this.#text, tree.start))
    if (tree.type === 'ImportExpression')
      throw new FaultyText('import() is not supported: import at the top', placeAt(this.#text, tree.start))
    if (tree.type.startsWith('TS')) return this.#typed(tree)
    this.#marks(tree)
    for (const [part, value] of Object.entries(tree)) {
      if (part === 'implements' && trees(value).length > 0) this.#implements(tree)
      else for (const each of trees(Array.isArray(value) ? value : [value])) this.#visit(each)
    }
  }

  /** An expression with a type at it stays, the type goes. A type goes altogether. */
  #typed(tree: Tree): void {
    const expression = treeOf(tree['expression'])
    const annotation = treeOf(tree['typeAnnotation'])
    if (tree.type === 'TSNonNullExpression') this.#blank(tree.end - 1, tree.end)
    else if (tree.type === 'TSAsExpression' || tree.type === 'TSSatisfiesExpression') {
      const word = tree.type === 'TSAsExpression' ? 'as' : 'satisfies'
      this.#blank(this.#text.lastIndexOf(word, annotation?.start), tree.end)
    } else if (tree.type === 'TSTypeAssertion')
      this.#blank(tree.start, this.#text.indexOf('>', annotation?.end) + 1)
    else if (tree.type === 'TSInstantiationExpression' && expression !== null)
      this.#blank(expression.end, tree.end)
    else return this.#erase(tree)
    if (expression !== null) this.#visit(expression)
  }

  /** `?` and `!` before a type or in its place, and the words before a member of a class. */
  #marks(tree: Tree): void {
    const annotation = treeOf(tree['typeAnnotation'])
    const end =
      annotation?.start ?? (tree['optional'] === true && tree.type === 'Identifier' ? tree.end : null)
    if (end !== null) {
      const mark = /[?!]\s*$/.exec(this.#text.slice(tree.start, end))
      if (mark !== null) this.#blank(tree.start + mark.index, tree.start + mark.index + 1)
    }
    const key = treeOf(tree['key'])
    if (key === null || !['PropertyDefinition', 'MethodDefinition'].includes(tree.type)) return
    if (tree['declare'] === true || tree['abstract'] === true) return this.#blank(tree.start, tree.end)
    for (const word of this.#text
      .slice(tree.start, key.start)
      .matchAll(/\b(?:public|private|protected|readonly|override)\b/g))
      this.#blank(tree.start + word.index, tree.start + word.index + word[0].length)
  }

  #implements(tree: Tree): void {
    const body = treeOf(tree['body'])
    const start = this.#text.lastIndexOf('implements', body?.start)
    if (body !== null) this.#blank(start, body.start)
  }

  /** A statement that is gone must not join those around it. */
  #erase({ type, start, end }: Tree): void {
    this.#blank(start, end, TYPE_STATEMENTS.has(type) || /^(?:Im|Ex)port/.test(type) ? ';' : '')
  }

  #blank(start: number, end: number, first = ''): void {
    const blanks = this.#text.slice(start, end).replaceAll(/[^\n]/g, ' ')
    this.#edits.push({ start, end, text: `${first}${blanks.slice(first.length)}` })
  }

  #replace({ start, end }: Tree, text: string): void {
    const lines = this.#text.slice(start, end).split('\n').length - 1
    this.#edits.push({ start, end, text: `${text}${'\n'.repeat(lines)}` })
  }
}

function treeOf(value: unknown): Tree | null {
  const isTree = typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string'
  return isTree ? (value as Tree) : null
}

function trees(value: unknown): Tree[] {
  return Array.isArray(value) ? value.map(treeOf).filter((tree) => tree !== null) : []
}

function nameOf(value: unknown): string {
  const tree = treeOf(value)
  return String(tree?.['name'] ?? tree?.['value'])
}

function declared(declaration: Tree): string[] {
  const ids = 'declarations' in declaration ? trees(declaration['declarations']) : [declaration]
  return ids.flatMap(({ id }) => bound(treeOf(id)))
}

/** The names that a pattern gives a value. */
function bound(pattern: Tree | null): string[] {
  if (pattern === null) return []
  if (pattern.type === 'Identifier') return [nameOf(pattern)]
  const inside = [pattern['properties'], pattern['elements']].flatMap(trees)
  const single = [pattern['value'], pattern['argument'], pattern['left']].map(treeOf)
  return [...inside, ...single].flatMap((part) => bound(part))
}
