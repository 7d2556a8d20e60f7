import { readFileSync } from 'node:fs'
import { type Form, formsOf } from '../src/rooms/theatre/saved.ts'
import { pairForms } from '../src/rooms/theatre/saved-pair.ts'
import { shotOf } from '../src/rooms/theatre/shot-of-run.ts'
import { runLayout } from '../src/rooms/theatre/topology-view.tsx'
import { runMarks, truthAt } from '../src/rooms/theatre/use-truth.ts'
import { PAIR_STAGE } from '../src/scene/pair.ts'
import { STAGE } from '../src/scene/shot.ts'
import type { Watched } from './runs.ts'

const sheet = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8')
const sheets = { tokens: sheet('design/tokens.css'), network: sheet('rooms/theatre/topology.css') }

export const ADDRESS = 'https://x.example/#/theatre'

function leavingAt(run: Watched, stage: typeof STAGE | typeof PAIR_STAGE, scheme: 'light' | 'dark') {
  const { recording } = run
  const position = Math.min(12, recording.happenings.length)
  const truth = truthAt(run, position, runMarks(run))
  return {
    recording,
    seen: { diagram: null, network: null },
    shot: shotOf(run, truth, runLayout(run, stage), truth.moment.at),
    scheme,
    sheets,
    address: ADDRESS,
  }
}

const labelled = (forms: readonly Form[], label: string) =>
  forms.find((form) => form.label === label)?.text() ?? ''

/** A run in one of its forms, at its twelfth step. */
export function saved(run: Watched, label: string, scheme: 'light' | 'dark' = 'light'): string {
  return labelled(
    formsOf(() => leavingAt(run, STAGE, scheme)),
    label,
  )
}

/** Two runs in one form. */
export function savedPair(
  runs: readonly [Watched, Watched],
  label: string,
  titles: readonly [string, string] = ['One & all', 'Another'],
): string {
  const half = (run: Watched, title: string) => ({ ...leavingAt(run, PAIR_STAGE, 'light'), title })
  return labelled(
    pairForms(() => [half(runs[0], titles[0]), half(runs[1], titles[1])]),
    label,
  )
}
