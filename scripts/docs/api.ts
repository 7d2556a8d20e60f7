/**
 * docs/api.md, and the table of options in docs/locks.md: read off the types and their comments, so that the document
 * says what an editor shows. An exported name, or a member of one, without a comment is an error.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const sources = new URL('../../packages/turnwise/src/', import.meta.url)
const library = fileURLToPath(new URL('index.ts', sources))
const guards = fileURLToPath(new URL('guards.ts', sources))
const testing = fileURLToPath(new URL('testing.ts', sources))
const search = fileURLToPath(new URL('../../checker/src/index.ts', sources))
const program = ts.createProgram([library, guards, testing, search], {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  customConditions: ['turnwise-source'],
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
})
const checker = program.getTypeChecker()

/** Of errors: what every error has. */
const INHERITED = new Set(['message', 'stack', 'cause', 'toString'])

interface Exported {
  readonly symbol: ts.Symbol
  readonly kind: 'function' | 'class' | 'constant' | 'type'
}

function exported(entry: string): Exported[] {
  const file = program.getSourceFile(entry)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${entry} exports nothing`)
  return checker.getExportsOfModule(module).map((named) => {
    const isElsewhere = (named.flags & ts.SymbolFlags.Alias) !== 0
    const symbol = isElsewhere ? checker.getAliasedSymbol(named) : named
    const isType = named.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration)
    const isFunction = (symbol.flags & ts.SymbolFlags.Function) !== 0
    const isClass = !isType && (symbol.flags & ts.SymbolFlags.Class) !== 0
    const isConstant = (symbol.flags & ts.SymbolFlags.Variable) !== 0
    return { symbol, kind: isFunction ? 'function' : isClass ? 'class' : isConstant ? 'constant' : 'type' }
  })
}

function explained(symbol: ts.Symbol, where: string): string {
  const declared = symbol.declarations?.[0]
  if (declared && ts.isPropertyDeclaration(declared) && declared.initializer)
    return `Always \`${declared.initializer.getText()}\`.`
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
  if (text === '') throw new Error(`${where}: it has no comment`)
  return text
}

/** A declaration without its body, on one line. */
function signature(declaration: ts.Declaration): string {
  const body = (declaration as { readonly body?: ts.Node }).body
  const text = declaration.getText()
  const head = body === undefined ? text : text.slice(0, body.getStart() - declaration.getStart())
  const plain = ts.isGetAccessor(declaration) ? head.replace('()', '') : head
  return plain
    .replace(/^(export |override |async |readonly |get )+/, '')
    .replace(/\s+/g, ' ')
    .replace(/\( (.*), \)/, '($1)')
    .replace(/ = [^=>]+$/, '')
    .trim()
}

/** What a program can use of a type: nothing private, and of overloads those that are declared. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter((member) => {
    const declared = member.declarations?.[0]
    const isOurs = declared !== undefined && !declared.getSourceFile().isDeclarationFile
    return isOurs && !/^(#|__#)/.test(ts.symbolName(member)) && !INHERITED.has(member.name)
  })
}

function signaturesOf(member: ts.Symbol): string[] {
  const all = member.declarations ?? []
  const overloads = all.filter((declaration) => !(declaration as { readonly body?: ts.Node }).body)
  // `Partial` makes optional what is not declared so.
  const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
  const written = (overloads.length > 0 ? overloads : all).map(signature)
  return isOptional ? written.map((text) => text.replace(/^(\w+): /, '$1?: ')) : written
}

const cell = (text: string) => text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

function memberTable(symbol: ts.Symbol): string[] {
  const rows = membersOf(symbol).map((member) => {
    const signatures = signaturesOf(member).map(code).join('<br>')
    return `| ${signatures} | ${cell(explained(member, `${symbol.name}.${member.name}`))} |`
  })
  return rows.length === 0 ? [] : ['', '| member | |', '| --- | --- |', ...rows]
}

function section({ symbol, kind }: Exported): string {
  const head = [`## ${symbol.name}`, '', `*${kind}*. ${explained(symbol, symbol.name)}`]
  if (kind === 'function') return [...head, '', '```ts', ...signaturesOf(symbol), '```'].join('\n')
  return [...head, ...(kind === 'constant' ? [] : memberTable(symbol))].join('\n')
}

/** Every exported name: functions, then classes, then types. */
function sections(entry: string): string[] {
  const order = ['function', 'class', 'constant', 'type']
  const place = ({ symbol, kind }: Exported) => `${order.indexOf(kind)} ${symbol.name}`
  const all = exported(entry).toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
  return all.map((one) => `${section(one)}\n`)
}

export function api(): string {
  return [
    '# What the library exports',
    '',
    "Everything that `import { … } from 'turnwise'` can name, as an editor shows it. [Locks](locks.md) tells how to use it.",
    'Generated by `npm run docs` from the types.',
    '',
    ...sections(library),
    '# Guards at the resource',
    '',
    "What `import { … } from 'turnwise/guards'` can name. [Locks](locks.md#guards) tells how to use it.",
    '',
    ...sections(guards),
    '# For tests',
    '',
    "What `import { … } from 'turnwise/testing'` can name. [Registers](registers.md) tells how to use it.",
    '',
    ...sections(testing),
    '# The checker',
    '',
    "What `import { … } from '@turnwise/checker'` can name. [The checker](checker.md) tells how to use it.",
    '',
    ...sections(search),
  ].join('\n')
}

/** The sentence of a comment that tells what holds if nothing is said. */
const DEFAULT = /\s*\bDefault:? ([^.]*(?:\.\d[^.]*)?)\./

/** The options of a call, each with its sentence. */
export function optionTable(type: string): string {
  const symbol = exported(library).find((one) => one.symbol.name === type)?.symbol
  if (symbol === undefined) throw new Error(`the library does not export ${type}`)
  const rows = membersOf(symbol).map((member) => {
    const text = explained(member, `${type}.${member.name}`)
    const [sentence, byDefault = ''] = DEFAULT.exec(text) ?? ['']
    const given = signature(member.declarations?.[0] as ts.Declaration).replace(/^\w+\?: /, '')
    return `| \`${member.name}\` | ${code(given)} | ${cell(byDefault)} | ${cell(text.replace(sentence, ''))} |`
  })
  return ['| option | type | default | |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
