import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { Plugin } from 'vite'

/** Per algorithm and variable of its state: the paper's name, and what it is for. */
type Glossary = Record<string, Variables>
type Variables = Record<string, { paper: string | null; about: string }>

const SOURCES = fileURLToPath(new URL('../algorithms/src/', import.meta.url))

/**
 * What the comments on the state of every algorithm say. They begin with the paper's name where there is one
 * ("HOLDER: where the privilege lies"), so the page can show it without any list to keep. An algorithm has the name of
 * its file; the state of those that share an engine stands in the engine's file.
 */
export function readGlossary(): Glossary {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(SOURCES, file))
  const read = new Map<string, { variables: Variables; imports: readonly string[] }>()
  const contents = (file: string) => {
    const known = read.get(file) ?? readSource(file)
    read.set(file, known)
    return known
  }
  return Object.fromEntries(
    files.map((file) => {
      const variables: Variables = {}
      // The nearest comment counts: the file's own, then those of what it imports.
      const queue = [file]
      const seen = new Set(queue)
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const found = contents(next)
        for (const [name, variable] of Object.entries(found.variables)) variables[name] ??= variable
        for (const other of found.imports) {
          if (seen.has(other)) continue
          seen.add(other)
          queue.push(other)
        }
      }
      return [basename(file, '.ts'), variables]
    }),
  )
}

function readSource(file: string): { variables: Variables; imports: readonly string[] } {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const variables: Variables = {}
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement) || !statement.name.text.endsWith('State')) continue
    for (const member of statement.members) {
      const about = commentOn(member)
      if (member.name !== undefined && about !== null)
        variables[member.name.getText()] = { paper: paperName(about), about }
    }
  }
  const imports = ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) => join(file, '..', fileName))
    .filter((path) => path.startsWith(SOURCES) && existsSync(path))
  return { variables, imports }
}

function commentOn(member: ts.TypeElement): string | null {
  const [comment] = ts.getJSDocCommentsAndTags(member)
  const text = comment === undefined ? undefined : ts.getTextOfJSDocComment(comment.comment)
  return text === undefined ? null : text.replace(/\s+/g, ' ')
}

/** Papers write their variables in capitals, with underscores or with an index: LAST, Highest_Sequence_Number, RN[i]. */
function paperName(text: string): string | null {
  const [, first = ''] = /^([A-Za-z][\w']*(?:\[\w+\]|\(\w+\))?)(?=[:,;. ])/.exec(text) ?? []
  const looksLikeOne = /^[A-Z][A-Z]/.test(first) || /_|\[|\(/.test(first)
  return looksLikeOne ? first : null
}

const NAME = 'virtual:glossary'

export function glossaryPlugin(): Plugin {
  return {
    name: 'turnwise-glossary',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(readGlossary())}` : null),
  }
}
