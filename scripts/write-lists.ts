/**
 * `npm run lists` writes the lists of algorithms and variants from the folders of `packages/algorithms`; with `-- --check` it changes
 * nothing and fails if one is stale. `npm run docs` runs it first. So a new algorithm or variant is one file. The lists are sources,
 * because a page in a browser cannot read folders.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnyProtocol } from '@turnwise/core/algorithm'

const root = new URL('../', import.meta.url)
const home = new URL('packages/algorithms/', root)
const check = process.argv.includes('--check')
const read = (file: string) => readFileSync(new URL(file, home), 'utf8')

interface Found {
  readonly name: string
  readonly variable: string
  readonly file: string
  readonly facts: AnyProtocol['facts']
}

function stemsIn(folder: string): string[] {
  const files = readdirSync(new URL(folder, home)).filter((file) => file.endsWith('.ts'))
  return files.map((file) => file.replace('.ts', '')).toSorted()
}

function variableOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

async function moduleAt(file: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(new URL(file, home).href)) as Readonly<Record<string, unknown>>
}

/** A file is an algorithm if it exports one under its own name. The other files are engines that algorithms share. */
async function algorithms(): Promise<Found[]> {
  const entries = readdirSync(new URL('src/', home), { withFileTypes: true })
  const found: Found[] = []
  for (const { name: folder } of entries.filter((entry) => entry.isDirectory())) {
    for (const name of stemsIn(`src/${folder}/`)) {
      const variable = variableOf(name)
      const exported = (await moduleAt(`src/${folder}/${name}.ts`))[variable] as
        | Partial<AnyProtocol>
        | undefined
      const { facts } = exported ?? {}
      if (facts?.name === name) found.push({ name, variable, file: `./${folder}/${name}.ts`, facts })
    }
  }
  return found
}

/** By family and year. Families, and algorithms of one year, keep the order that the list has now; a new one comes last. */
function inOrder(found: readonly Found[], text: string): readonly Found[] {
  const place = ({ variable }: Found) => {
    const at = text.search(new RegExp(`^(  |export const elections.*)\\b${variable}\\b`, 'm'))
    return at < 0 ? text.length : at
  }
  const families = found.toSorted((a, b) => place(a) - place(b)).map(({ facts }) => facts.family)
  const rank = ({ facts }: Found) => families.indexOf(facts.family)
  return found.toSorted((a, b) => rank(a) - rank(b) || a.facts.year - b.facts.year || place(a) - place(b))
}

/** Replaces what stands between the line that begins so and the bracket that ends it. */
function withList(text: string, begin: string, items: readonly string[]): string {
  const start = text.indexOf(begin) + begin.length
  if (start < begin.length) throw new Error(`there is no place for "${begin}"`)
  const end = text.slice(start).search(/[\]}]\n/)
  return `${text.slice(0, start)}${items.join(',')}${text.slice(start + end)}`
}

function withImports(text: string, isReplaced: RegExp, imports: readonly string[]): string {
  const lines = text.split('\n').filter((line) => !isReplaced.test(line))
  const first = lines.findIndex((line) => line.startsWith('import '))
  return lines.toSpliced(first, 0, ...imports).join('\n')
}

const all = await algorithms()
const isElection = ({ facts }: Found) => facts.family === 'election'
const before = read('src/catalogue.ts')
const catalogue = inOrder(
  all.filter((each) => !isElection(each)),
  before,
)
const elections = inOrder(all.filter(isElection), before)
const variables = (found: readonly Found[]) => found.map(({ variable }) => variable)

async function variants(
  folder: string,
  list: string,
  isListed: (of: string) => boolean,
  text: string,
): Promise<string> {
  const stems = stemsIn(`${folder}/`).filter((stem) => !['gallery', 'innocents'].includes(stem))
  const found: string[] = []
  for (const stem of stems) {
    const { variant } = (await moduleAt(`${folder}/${stem}.ts`)) as {
      readonly variant: { readonly of: string }
    }
    if (isListed(variant.of)) found.push(variableOf(stem))
  }
  const imports = stems.map((stem) => `import { variant as ${variableOf(stem)} } from './${stem}.ts'`)
  return withImports(withList(text, list, found), /^import \{ variant as /, imports)
}

const isOfElection = (of: string) => elections.some(({ name }) => name === of)
const lists: Readonly<Record<string, string>> = {
  'src/catalogue.ts': withImports(
    withList(
      withList(before, 'export const catalogue: readonly AnyAlgorithm[] = [', variables(catalogue)),
      'export const elections: readonly AnyElection[] = [',
      variables(elections),
    ),
    /^import \{ \w+ \} from '\.\/[^/]+\/[^/]+'$/,
    all.map(({ variable, file }) => `import { ${variable} } from '${file}'`),
  ),
  'src/texts.ts': withList(
    read('src/texts.ts'),
    'const TEXTS: Readonly<Record<string, () => Promise<AnyAlgorithm>>> = {',
    catalogue.map(
      ({ name, variable, file }) =>
        `'${name}': () => import('${file}').then(({ ${variable} }) => ${variable})`,
    ),
  ),
  'broken/gallery.ts': await variants(
    'broken',
    'export const gallery: readonly BrokenVariant[] = [',
    (of) => !isOfElection(of),
    await variants(
      'broken',
      'export const brokenElections: readonly BrokenElection[] = [',
      isOfElection,
      read('broken/gallery.ts'),
    ),
  ),
  'innocent/innocents.ts': await variants(
    'innocent',
    'export const innocents: readonly InnocentVariant[] = [',
    () => true,
    read('innocent/innocents.ts'),
  ),
}

/** As `npm run format` writes it, with imports in order. */
function formatted(file: string, text: string): string {
  const biome = fileURLToPath(new URL('node_modules/@biomejs/biome/bin/biome', root))
  return execFileSync(process.execPath, [biome, 'check', '--write', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

let stale = 0
for (const [file, text] of Object.entries(lists)) {
  const fresh = formatted(`packages/algorithms/${file}`, text)
  if (read(file) === fresh) continue
  stale += 1
  if (check) process.stderr.write(`packages/algorithms/${file} is stale; npm run lists writes it anew\n`)
  else writeFileSync(new URL(file, home), fresh)
}
process.stdout.write(`${Object.keys(lists).length} lists, ${stale} ${check ? 'stale' : 'written anew'}\n`)
if (check && stale > 0) process.exit(1)
