/** SPIN, which makes a C program of a model in Promela. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Checker, Found, Run } from './checker.ts'

/** Each asks for every state: no reduction, no hash in place of a state; breadth-first, so that the first violation has a shortest run. */
const COMPILE = ['-O1', '-w', '-DNOREDUCE', '-DSAFETY', '-DBFS', '-DMEMLIM=4000', '-o', 'pan', 'pan.c']

/** The checker, or why it cannot be used. */
export function findSpin(): Checker | string {
  const missing = ['spin', 'gcc'].filter((name) => spawnSync(name, ['--version']).error !== undefined)
  if (missing.length === 0) return search
  return `not installed: ${missing.join(' and ')}; apt-get install ${missing.join(' ')} helps`
}

/** The assertions of a model, by the names of our properties. */
export function propertiesInSpin(text: string): string[] {
  return [...text.matchAll(/assert\((\w+)\)/g)].map(([, name = '']) => propertyOf(name))
}

function propertyOf(assertion: string): string {
  return assertion.replaceAll('_', '-')
}

function search(run: Run, text: string): Found {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-spin-'))
  try {
    writeFileSync(join(folder, 'model.pml'), text)
    perform(folder, 'spin', [...definitions(run), '-a', 'model.pml'])
    perform(folder, 'gcc', COMPILE)
    // -E: a state without a step is no mistake where all requests were served; the model asserts what is.
    return foundIn(perform(folder, './pan', ['-E']))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function definitions({ nodes, requests, without }: Run): string[] {
  const rule = without === undefined ? [] : [`-DWITHOUT_${without.toUpperCase().replaceAll(' ', '_')}`]
  return [`-DN=${nodes}`, `-DREQUESTS=${requests}`, ...rule]
}

function perform(folder: string, name: string, words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(name, words, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} ${words.join(' ')}: ${stderr || stdout}`)
  return stdout
}

function foundIn(told: string): Found {
  const states = Number(/(\d+) states, stored/.exec(told)?.[1])
  const [, assertion, depth] = /assertion violated (\w+) \(at depth (\d+)\)/.exec(told) ?? []
  if (assertion !== undefined)
    return { states, fails: { property: propertyOf(assertion), length: Number(depth) + 1 } }
  if (!/errors: 0$/m.test(told) || told.includes('Search not completed')) throw new Error(`spin: ${told}`)
  return { states, fails: null }
}
