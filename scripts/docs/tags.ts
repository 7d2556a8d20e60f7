/** Tests say themselves what they show: `// shows SOURCE SECTION` or `// shows claim NAME` above a test, once for each. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { type Evidence, evidenceOf } from './evidence.ts'

const CLAIM = 'claim '
const TAG = /^\/\/ shows (\S+ .+)$/

type Shown = ReadonlyMap<string, readonly Evidence[]>

/** The tests that show each section, by source and section. */
export function taggedSections(): Shown {
  return new Map([...tagged()].filter(([tag]) => !tag.startsWith(CLAIM)))
}

/** The tests that show that a claim does not hold, by the name of the claim. */
export function taggedClaims(): Shown {
  const ofClaims = [...tagged()].filter(([tag]) => tag.startsWith(CLAIM))
  return new Map(ofClaims.map(([tag, tests]) => [tag.slice(CLAIM.length), tests]))
}

function tagged(): Shown {
  const shown = new Map<string, Evidence[]>()
  for (const file of testFiles()) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    if (!text.includes('// shows ')) continue
    for (const [section, title] of tagsIn(text)) {
      shown.set(section, [...(shown.get(section) ?? []), evidenceOf(file, title)])
    }
  }
  return shown
}

/** In the order of packages that says most: the algorithms first. */
function testFiles(): string[] {
  const packages = ['algorithms', 'core', 'simulator', 'checker', 'cli']
  return packages.flatMap((name) => {
    const folder = `packages/${name}/test`
    const files = readdirSync(new URL(`../../${folder}`, import.meta.url), {
      recursive: true,
      encoding: 'utf8',
    })
    return files
      .toSorted()
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
  })
}

function tagsIn(text: string): [section: string, title: string][] {
  const source = ts.createSourceFile('', text, ts.ScriptTarget.Latest, true)
  const found: [string, string][] = []
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
      const tags = comments.flatMap(({ pos, end }) => TAG.exec(text.slice(pos, end))?.[1] ?? [])
      if (tags.length > 0) found.push(...tags.map((tag): [string, string] => [tag, titleOf(node)]))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The first text that a test or a table of tests is called with. */
function titleOf({ expression }: ts.ExpressionStatement): string {
  const title = ts.isCallExpression(expression) ? expression.arguments[0] : undefined
  if (title === undefined || !ts.isStringLiteralLike(title))
    throw new Error(`no test: ${expression.getText().slice(0, 80)}`)
  return title.text
}
