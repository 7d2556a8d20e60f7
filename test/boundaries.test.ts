import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { present } from './present.ts'

/** Who may import whom. Arrows point downward only; what is not listed is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  algorithms: ['core'],
  simulator: ['core'],
  checker: ['core'],
  mesh: ['core', 'algorithms'],
  proof: ['core', 'algorithms', 'checker'],
  workshop: ['core', 'algorithms', 'simulator', 'checker'],
  lab: ['core', 'algorithms', 'simulator', 'checker', 'workshop'],
  turnwise: ['core', 'mesh'],
  fleet: ['core', 'simulator', 'mesh'],
  cli: ['core', 'algorithms', 'simulator', 'checker', 'mesh', 'lab', 'proof', 'workshop', 'fleet'],
  'mesh/check': ['core', 'algorithms', 'checker', 'mesh'],
  torture: ['core', 'algorithms', 'mesh', 'fleet', 'cli', 'test'],
}

/** These run in a browser, in a checker and in a simulator: the host owns time, chance and the outside. */
const PURE = ['core', 'algorithms', 'simulator', 'checker']

/** Pure parts of other packages: the decisions of a mesh, the faults and judges of the torture, a run that is watched, a proof without its prover. */
const PURE_PARTS = [
  'packages/mesh/src/protocol/',
  'packages/mesh/broken/',
  'packages/mesh/check/',
  'packages/mesh/test/simulation/judge.ts',
  'packages/lab/src/run/',
  'packages/proof/src/logic/',
  'packages/proof/src/models/',
  'packages/cli/src/cluster/up-deeds.ts',
  'packages/cli/src/cluster/up-messages.ts',
  'packages/fleet/src/cut.ts',
  ...['counterexample', 'model', 'obligations', 'proof', 'proofs', 'prove', 'prover', 'stamps', 'tie'].map(
    (file) => `packages/proof/src/${file}.ts`,
  ),
  ...[
    'plan',
    'deeds',
    'draft',
    'repertoire',
    'set-pieces',
    'service',
    'history',
    'judges',
    'excuses',
    'fenced-register',
    'torture-messages',
  ].map((file) => `torture/src/${file}.ts`),
]

/** With slashes, on Windows too. */
function fromRoot(file: string): string {
  return relative(root, file).replaceAll(sep, '/')
}

function isPure(name: string, file: string): boolean {
  return PURE.includes(name) || PURE_PARTS.some((part) => fromRoot(file).startsWith(part))
}

/** Each with what to use instead. */
const FORBIDDEN_NAMES: Readonly<Record<string, string>> = {
  Date: 'time is an event that the host delivers',
  performance: 'the code that steps the work measures it',
  setTimeout: 'here.setTimer',
  setInterval: 'here.setTimer',
  setImmediate: 'here.proceed',
  queueMicrotask: 'here.proceed',
  process: 'pass in what is needed',
  console: 'return it, and let the caller print',
  fetch: 'the host sends and receives',
  globalThis: 'pass in what is needed',
}

const SUSPECT = new RegExp(`\\b(await|random|${Object.keys(FORBIDDEN_NAMES).join('|')})\\b`)

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = readdirSync(join(root, 'packages'))
const FOLDERS = ['src', 'broken', 'innocent']

/** What is in no package, and reads the sources of this clone. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'mesh/check': 'packages/mesh/check',
  torture: 'torture/src',
}
const parts = [...packages, ...Object.keys(OUTSIDE)]

/** The part to which a file belongs. */
function partOf(file: string): string {
  const path = fromRoot(file)
  const outside = Object.keys(OUTSIDE).find((name) => path.startsWith(`${OUTSIDE[name]}/`))
  return outside ?? /^(?:packages\/)?([^/]+)/.exec(path)?.[1] ?? ''
}

function sources(name: string): string[] {
  const folders = OUTSIDE[name] ? [OUTSIDE[name]] : FOLDERS.map((folder) => `packages/${name}/${folder}`)
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /\.tsx?$/.test(file))
}

function importsOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
}

const imports = new Map<string, readonly string[]>()

/** What a file imports. Two tests ask about each. */
function importsOfFile(file: string): readonly string[] {
  const known = imports.get(file) ?? importsOf(readFileSync(file, 'utf8'))
  imports.set(file, known)
  return known
}

/** What one import of a package breaks, or null. */
function complaint(name: string, imported: string, file: string): string | null {
  if (imported.startsWith('.')) {
    const target = join(file, '..', imported)
    const owner = partOf(target)
    if (owner !== name && packages.includes(name)) return `${imported} leaves the package`
    if (owner !== name && !present(MAY_IMPORT[name]).includes(owner)) return `${name} may not import ${owner}`
    return isPure(name, file) && !isPure(owner, target) ? `${imported} leaves the pure part` : null
  }
  const sibling = /^turnwise(\/|$)/.test(imported) ? 'turnwise' : /^@turnwise\/([^/]+)/.exec(imported)?.[1]
  if (sibling !== undefined)
    return present(MAY_IMPORT[name]).includes(sibling) ? null : `${name} may not import ${sibling}`
  return isPure(name, file) ? `${name} has no dependencies, and imports ${imported}` : null
}

/** Names and constructs that reach outside the package. */
function impurities(text: string, file: string): string[] {
  // Most files have none of the words, and to parse them all takes seconds.
  if (!SUSPECT.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isAwaitExpression(node)) found.push('await: a handler is atomic, and a search is stepped')
    if (ts.isIdentifier(node) && !isPropertyName(node) && Object.hasOwn(FORBIDDEN_NAMES, node.text)) {
      found.push(`${node.text}: ${FORBIDDEN_NAMES[node.text]}`)
    }
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random') {
      found.push('Math.random: here.random, or a randomStream')
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ((ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent)) &&
      parent.name === node)
  )
}

describe('packages import only what the design allows', () => {
  for (const name of parts) {
    test(name, () => {
      expect(Object.keys(MAY_IMPORT)).toContain(name)
      const complaints = sources(name).flatMap((file) =>
        importsOfFile(file)
          .map((imported) => complaint(name, imported, file))
          .filter((text) => text !== null)
          .map((text) => `${fromRoot(file)}: ${text}`),
      )
      expect(complaints).toEqual([])
    })
  }
})

describe('the pure packages touch no clock, no chance and no outside', () => {
  for (const name of [...packages, 'torture'].filter((name) =>
    sources(name).some((file) => isPure(name, file)),
  )) {
    test(name, () => {
      const pure = sources(name).filter((file) => isPure(name, file))
      const found = pure.flatMap((file) =>
        impurities(readFileSync(file, 'utf8'), file).map((text) => `${fromRoot(file)}: ${text}`),
      )
      expect(found).toEqual([])
    })
  }
})

/** Those of the folders that import each other in a circle, each with those that it imports. */
function circle(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let left = [...imports]
  // A folder in no circle imports none of those that are left, or none of them imports it.
  for (let before = -1; before !== left.length; ) {
    before = left.length
    left = left.filter(
      ([folder, others]) =>
        left.some(([other]) => others.has(other)) && left.some(([, theirs]) => theirs.has(folder)),
    )
  }
  return left.map(([folder, others]) => `${folder} imports ${[...others].join(', ')}`)
}

/** For every folder of a part: which of its folders import which, types included. */
function folderImports(files: readonly string[]): Map<string, Map<string, Set<string>>> {
  const within = new Map<string, Map<string, Set<string>>>()
  for (const file of files) {
    for (const imported of importsOfFile(file).filter((name) => name.startsWith('.'))) {
      const from = fromRoot(file).split('/')
      const to = fromRoot(join(file, '..', imported)).split('/')
      const depth = from.findIndex((name, i) => name !== to[i])
      // One of the two is a file of the folder that they have in common.
      if (depth < 0 || depth >= from.length - 1 || depth >= to.length - 1) continue
      const folder = from.slice(0, depth).join('/')
      const entries = within.get(folder) ?? new Map<string, Set<string>>()
      const importer = get(from, depth)
      within.set(folder, entries.set(importer, (entries.get(importer) ?? new Set()).add(get(to, depth))))
    }
  }
  return within
}

// The linter sees to it that files import each other in a circle for their types at most (import/no-cycle).
describe('no folders import each other in a circle', () => {
  for (const name of parts) {
    test(name, () => {
      const circles = [...folderImports(sources(name))].flatMap(([folder, imports]) =>
        circle(imports).map((text) => `${folder}: ${text}`),
      )
      expect(circles).toEqual([])
    })
  }
})

describe('the checks themselves can fail', () => {
  const file = join(root, 'packages/core/src/example.ts')

  test('a forbidden import is found', () => {
    expect(complaint('core', 'node:fs', file)).toContain('has no dependencies')
    expect(complaint('algorithms', '@turnwise/simulator/stage', file)).toBe(
      'algorithms may not import simulator',
    )
    expect(complaint('core', '../../simulator/src/stage.ts', file)).toContain('leaves the package')
    expect(complaint('core', './random.ts', file)).toBeNull()
    const protocol = join(root, 'packages/mesh/src/protocol/node.ts')
    expect(complaint('mesh', '../tcp.ts', protocol)).toBe('../tcp.ts leaves the pure part')
    expect(complaint('mesh', 'node:net', protocol)).toContain('has no dependencies')
    expect(complaint('mesh', '@turnwise/simulator/stage', protocol)).toBe('mesh may not import simulator')
    expect(importsOf("export { a } from './a.ts'\nconst b = import('./b.ts')")).toEqual(['./a.ts', './b.ts'])
  })

  test('a circle of folders is found, and who only looks on is not in it', () => {
    const imports = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['b', 'd'])],
    ])
    expect(circle(imports)).toEqual(['b imports c', 'c imports b, d'])
    imports.get('c')?.delete('b')
    expect(circle(imports)).toEqual([])
  })

  test('an impure name is found, a property of that name is not', () => {
    expect(impurities('const now = Date.now()', file)).toHaveLength(1)
    expect(impurities('const x = Math.random()', file)).toHaveLength(1)
    expect(impurities('async () => { await 1 }', file)).toHaveLength(1)
    expect(impurities('setTimeout(f, 1)', file)).toHaveLength(1)
    expect(impurities('const x = { process: 1 }; x.process', file)).toEqual([])
  })
})
