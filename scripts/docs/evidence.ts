/**
 * The evidence that the documents cite: a file, a test by its title, a scenario, a broken variant, a command. `npm run
 * docs` looks each up, so that none can name what does not exist.
 */
import { existsSync } from 'node:fs'
import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { main } from '../../packages/cli/src/cli/main.ts'
import { processTerminal } from '../../packages/cli/src/terminal/terminal.ts'

export type Evidence =
  | { readonly kind: 'test'; readonly of: string; readonly title: string }
  | { readonly kind: 'scenario' | 'broken'; readonly of: string }

/** A scenario, such as `raymond/star`: commands with their outcome, played by the tests. */
export const scenario = (of: string): Evidence => ({ kind: 'scenario', of })
/** A broken variant, which the checker catches. */
export const broken = (of: string): Evidence => ({ kind: 'broken', of })

const root = new URL('../../', import.meta.url)
const OTHER_PACKAGES = ['core', 'simulator', 'checker', 'cli']

function inPackage(of: string, folder: 'src' | 'test', ending: string): string {
  const [first = '', ...rest] = of.split('/')
  return OTHER_PACKAGES.includes(first)
    ? `packages/${first}/${folder}/${rest.join('/')}${ending}`
    : `packages/algorithms/${folder}/${of}${ending}`
}

/** The path of a source file that is named as `token/raymond` or `core/quorum/majority`. */
export const sourcePath = (of: string): string => inPackage(of, 'src', '.ts')

export function evidencePath({ kind, of }: Evidence): string {
  if (kind === 'test') return inPackage(of, 'test', '.test.ts')
  return kind === 'scenario'
    ? `packages/algorithms/scenarios/${of}.txt`
    : `packages/algorithms/broken/${of}.ts`
}

/** The evidence that a test in this file is. */
export function evidenceOf(file: string, title: string): Evidence {
  return {
    kind: 'test',
    of: file
      .replace(/^packages\/(algorithms\/)?/, '')
      .replace(/(^|\/)test\//, '$1')
      .replace(/\.test\.ts$/, ''),
    title,
  }
}

/** A link from a document in `docs`. */
export function link(path: string): string {
  return `[${path.replace(/^packages\/(algorithms\/)?(src\/|test\/)?/, '').replace('/src/', '/')}](../${path})`
}

/** The evidence in a cell or a sentence: where it is, and how it is called there. */
export function cited(evidence: Evidence): string {
  const where = link(evidencePath(evidence))
  return evidence.kind === 'test' ? `${where}: ${evidence.title.replaceAll('|', '\\|')}` : where
}

export function verifyFile(path: string, where: string): void {
  if (!existsSync(new URL(path, root))) throw new Error(`${where}: there is no ${path}`)
}

export function verifyEvidence(evidence: Evidence, where: string): void {
  verifyFile(evidencePath(evidence), where)
}

const nameOf = ({ facts }: { readonly facts: { readonly name: string } }) => facts.name
const algorithms = new Set([...catalogue, ...gallery.map(({ algorithm }) => algorithm)].map(nameOf))
const elective = new Set([...elections, ...brokenElections.map(({ algorithm }) => algorithm)].map(nameOf))

/** Checks that the command, its algorithms and its options exist. It does not run the command. */
export async function verifyCommand(command: string, where: string): Promise<void> {
  const words = command.split(' ')
  const [name = '', second = ''] = words
  const named = name === 'structure' ? [name, second] : [name]
  const help = await helpOf(named.join(' '))
  const option = words.find((word) => word.startsWith('--') && !help.includes(`${word} `))
  if (option !== undefined) throw new Error(`${where}: turnwise ${named.join(' ')} has no option ${option}`)
  const operands = command.replace(/ --.*/, '').split(' ').slice(1)
  const known = new Set(name === 'elect' ? elective : algorithms)
  if (name === 'check' || name === 'explain') for (const each of elective) known.add(each)
  if (!['check', 'simulate', 'compare', 'explain', 'elect'].includes(name)) return
  const unknown = operands.find((operand) => !known.has(operand))
  if (unknown !== undefined) throw new Error(`${where}: turnwise ${name} knows no ${unknown}`)
}

const helps = new Map<string, string>()

async function helpOf(command: string): Promise<string> {
  const known = helps.get(command)
  if (known !== undefined) return known
  let text = ''
  const print = (line: string) => {
    text += `${line}\n`
  }
  const code = await main([...command.split(' '), '--help'], { ...processTerminal(), print, tell: print })
  if (code !== 0) throw new Error(`turnwise has no command ${command}`)
  helps.set(command, text)
  return text
}
