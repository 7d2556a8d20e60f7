/** The rulebook is at home: what a source cites of the mesh protocol is in docs/mesh-protocol.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const BOOK = 'docs/mesh-protocol.md'
const book = readFileSync(join(root, BOOK), 'utf8')

/** Where rules are cited. In other packages an R with a number may be anything. */
const FOLDERS = ['packages/mesh', 'packages/cli', 'packages/turnwise', 'scripts', 'examples', 'torture']

interface Source {
  readonly file: string
  readonly text: string
}

function sources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/(^|[\\/])(node_modules|dist)[\\/]/.test(file))
    .map((file) => {
      const path = join(root, folder, file)
      return { file: relative(root, path), text: readFileSync(path, 'utf8') }
    })
}

/** The rules that the book has in full: with a reason, and with what happens without them. */
function rulesIn(text: string): string[] {
  return text
    .split(/^(?=#+ )/m)
    .filter((section) => /\*Why/.test(section) && /\*Without/.test(section))
    .flatMap((section) => /^#### (R\d+) /.exec(section)?.[1] ?? [])
}

function headingsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
}

/** What a source cites that is not there: rules, sections by heading, and sections by a number, which no page of ours has. */
function strayIn({ file, text }: Source, rules: readonly string[], headings: readonly string[]): string[] {
  // A comment may break its line anywhere.
  const flat = text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
  const numbers = [...flat.matchAll(/\bR\d+\b/g)]
    .map(([rule]) => rule)
    .filter((rule) => !rules.includes(rule))
  const cited = [...flat.matchAll(/"([^"]+)" (?:in|of) (?:docs\/)?mesh-protocol\.md/g)]
    .map(([, heading = '']) => heading)
    .filter((heading) => !headings.includes(heading))
  const bare = [...flat.matchAll(/[Ss]ection \d+\b(?!\.\d)/g)].map(([section]) => section)
  const ofMesh = file.replaceAll('\\', '/').startsWith('packages/mesh/')
  return [...numbers, ...cited, ...(ofMesh ? bare : [])].map((what) => `${file}: ${what}`)
}

test('the book has the rules R1 to R26, each with its reason and what happens without it', () => {
  expect(rulesIn(book)).toEqual(Array.from({ length: 26 }, (_, i) => `R${i + 1}`))
})

describe('every rule and section that is cited is in the book', () => {
  for (const folder of FOLDERS) {
    test(folder, () => {
      const [rules, headings] = [rulesIn(book), headingsIn(book)]
      expect(sources(folder).flatMap((source) => strayIn(source, rules, headings))).toEqual([])
    })
  }
})

/** Rules of the other two books: where each is written, and how the book begins it. */
const OTHERS = [
  { page: 'docs/meeting-places.md', letter: 'M', begins: /^- \*\*(M\d+) /gm },
  { page: 'docs/daemon.md', letter: 'C', begins: /^\*\*(C\d+), /gm },
]

for (const { page, letter, begins } of OTHERS) {
  test(`every rule ${letter} that the mesh, its daemon and its torture cite is in ${page}`, () => {
    const begun = [...readFileSync(join(root, page), 'utf8').matchAll(begins)].map(([, rule]) => rule)
    // A rule may have two parts.
    const rules = [...new Set(begun)]
    expect(rules).toEqual(rules.map((_, i) => `${letter}${i + 1}`))
    const cited = ['packages/mesh', 'packages/cli/src/agent', 'torture']
      .flatMap(sources)
      .flatMap(({ text }) =>
        // A section of an RFC, or a value in a test, has no such number alone.
        [...text.matchAll(new RegExp(`(?<![\\w./'"-])${letter}\\d+(?![\\w'"-])`, 'g'))].map(([rule]) => rule),
      )
    expect(cited.length).toBeGreaterThan(20)
    expect([...new Set(cited)].filter((rule) => !rules.includes(rule))).toEqual([])
  })
}

test('what other pages and sources link to is a page, and a heading of it', () => {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  const texts = [...pages.map((page) => `docs/${page}`), 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']
  const dead = texts.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    return [...text.matchAll(/\]\((?:docs\/)?(mesh-[a-z]+\.md)(?:#([^)]+))?\)/g)].flatMap(
      ([, target = '', anchor]) => {
        if (!pages.includes(target)) return [`${page}: ${target}`]
        if (anchor === undefined) return []
        const anchors = headingsIn(readFileSync(join(root, 'docs', target), 'utf8')).map(anchorOf)
        return anchors.includes(anchor) ? [] : [`${page}: ${target}#${anchor}`]
      },
    )
  })
  expect(dead).toEqual([])
})

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
}

test('the checks themselves can fail', () => {
  const stray = (text: string) => strayIn({ file: 'packages/mesh/src/a.ts', text }, ['R1'], ['Fences'])
  expect(stray('/** R1, "Fences" in docs/mesh-protocol.md; RFC 8446, section 5.1 */')).toEqual([])
  expect(stray('/** R27 */')).toEqual(['packages/mesh/src/a.ts: R27'])
  expect(stray('/** "Sleep"\n * in docs/mesh-protocol.md */')).toEqual(['packages/mesh/src/a.ts: Sleep'])
  expect(stray('// as section\n// 7 of it says')).toEqual(['packages/mesh/src/a.ts: section 7'])
  expect(rulesIn('#### R1 Heartbeats\n\nOne sentence.\n')).toEqual([])
})
