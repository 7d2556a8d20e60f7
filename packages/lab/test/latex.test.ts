import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { FIRST } from '../src/rooms/theatre/theatre-query.ts'
import { texText } from '../src/scene/tikz-text.ts'
import { saved, savedPair } from './leaving.ts'
import { watched } from './runs.ts'

/** Why nothing can be compiled here, or null. */
function obstacle(): string | null {
  const { status } = spawnSync('pdflatex', ['--version'], { stdio: 'ignore' })
  return status === 0 ? null : 'no pdflatex was found: apt-get install texlive-latex-base texlive-pictures'
}

const why = obstacle()
/** All that means something to TeX, and letters beyond ASCII. */
const HOSTILE = ['a_b^c~d\\e {100%} #1 $x$ & "q" <|> né ł ő …', '≤ ≥ ≠ → ∞ − × · ✓ ✗ Ω 漢 🔑'] as const

describe.runIf(why === null)(`TikZ${why === null ? '' : ` (left out: ${why})`}`, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-tex-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The first error, and what did not fit. */
  function compiled(tex: string): string[] {
    writeFileSync(join(folder, 'picture.tex'), tex)
    spawnSync('pdflatex', ['-interaction=nonstopmode', '-halt-on-error', 'picture.tex'], {
      cwd: folder,
      stdio: 'ignore',
    })
    const log = readFileSync(join(folder, 'picture.log'), 'latin1')
    const pages = /Output written on picture\.pdf \((\d+) page/.exec(log)?.[1] ?? 'no'
    const flaws = log.split('\n').filter((line) => /^!|^Overfull|^Underfull/.test(line))
    return [...flaws, ...(pages === '1' ? [] : [`${pages} pages`])]
  }

  const first = watched(FIRST)
  const crashed = watched({ nodes: 4, entries: 4, fault: ['drop:0.2'] }, [
    { after: 6, at: 0, act: { does: 'crash', node: 2 } },
  ])

  test('two runs with any title, one with a node that crashed', () => {
    expect(compiled(savedPair([first, crashed], 'Both runs (TikZ)', HOSTILE))).toEqual([])
  })

  test.each(['Diagrams', 'Networks'])('%s of two runs', LONG, (label) => {
    expect(compiled(savedPair([first, crashed], `${label} (TikZ)`))).toEqual([])
  })

  test.each([
    ['quorums', { algorithm: 'maekawa', nodes: 13, load: 'heavy' }],
    ['zones', { algorithm: 'token-queue', nodes: 9, set: ['zones=3'] }],
    ['readers', { nodes: 5, readers: 0.5 }],
    ['resources', { algorithm: 'bouabdallah-laforest', nodes: 4, resources: 5, take: 3 }],
    ['trees', { algorithm: 'raymond', nodes: 7 }],
    ['elections', { algorithm: 'bully', nodes: 5, load: 'all' }],
  ])('both pictures with %s', LONG, (_, changes) => {
    expect(compiled(saved(watched(changes), 'Both (TikZ)'))).toEqual([])
  })
})

test('letters that pdflatex cannot set are left to other engines', () => {
  expect(texText('né 漢<1>')).toBe('né \\sign{漢}\\textless{}1\\textgreater{}')
})
