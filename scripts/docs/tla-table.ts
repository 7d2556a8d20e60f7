import { readRecord } from '../tla/record.ts'
import { commandOf, verdictOf } from '../tla/runs.ts'
import { markdownTable } from './algorithm-table.ts'

/** The worlds that both checkers searched, for `docs/other-checkers.md`. */
export function tlaTable(): string {
  const rows = readRecord().map(({ run, ours, theirs }) => {
    const rule = run.without === undefined ? '' : ` without *${run.without}*`
    return [
      `[${run.module}](../packages/algorithms/tla/${run.module}.tla)${rule}`,
      `\`${commandOf(run)}\``,
      verdictOf(ours),
      ours.fails === null ? figure(ours.states) : '',
      ours.fails === null ? figure(theirs.states) : '',
    ]
  })
  return markdownTable(['model', 'world', 'both say', 'states, ours', 'states, theirs'], rows).join('\n')
}

function figure(states: number): string {
  return states.toLocaleString('en')
}
