import type { Run } from '../others/checker.ts'
import { readRecord } from '../others/record.ts'
import { commandOf, isPromela, verdictOf } from '../others/runs.ts'
import { markdownTable } from './algorithm-table.ts'

/** The worlds that another checker searched too, for `docs/other-checkers.md`. */
export function otherCheckersTable(): string {
  const rows = readRecord().map(({ run, ours, theirs }) => [
    modelOf(run),
    `\`${commandOf(run)}\``,
    verdictOf(ours),
    ours.fails === null ? figure(ours.states) : '',
    ours.fails === null ? figure(theirs.states) : '',
  ])
  return markdownTable(['model', 'world', 'both say', 'states, ours', 'states, theirs'], rows).join('\n')
}

function modelOf({ model, without }: Run): string {
  const link = `[${model}](../packages/algorithms/${isPromela(model) ? 'spin' : 'tla'}/${model})`
  return without === undefined ? link : `${link} without *${without}*`
}

function figure(states: number): string {
  return states.toLocaleString('en')
}
