import { tellFlaw, validate } from '@turnwise/core/structure/validate'
import { memo, useMemo } from 'react'
import { MOST_CHECKED_NODES, readQuestion } from '../check/question.ts'
import type { RoomProps } from '../rooms.ts'
import { Searching } from './broken-rule.tsx'
import { type Asked, writeQuery } from './query.ts'
import type { Run } from './use-run.ts'
import { useViolatingRun } from './use-violating-run.ts'

/** Why the information structure of a run does not guarantee exclusion; null if it does, or there is none. */
export function flawOf({ world, isRecord }: Run): string | null {
  const { structure } = world.config.setup
  if (isRecord || structure === null) return null
  const [flaw] = validate(structure).flaws
  return flaw === undefined ? null : tellFlaw(flaw)
}

interface Props {
  readonly flaw: string
  readonly asked: Asked
  readonly go: RoomProps['go']
}

/** A structure that is not safe is run like any other. Most runs do not show it, so one that does is offered. */
export const UnsafeStructure = memo(({ flaw, asked, go }: Props) => {
  const { algorithm, nodes, structure } = asked.spec
  const isSmall = nodes <= MOST_CHECKED_NODES
  const isSought = asked.isViolating === true && isSmall
  const question = useMemo(
    () => (isSought ? readQuestion({ algorithm, nodes: String(nodes), structure }) : null),
    [isSought, algorithm, nodes, structure],
  )
  const search = useViolatingRun(question, (trace) => go({ trace }, 'replace'))
  return (
    <div className="broken-rule">
      <p>
        <strong>This structure does not guarantee mutual exclusion:</strong> {flaw}.
        {!isSmall && ` A run that violates it can be searched with at most ${MOST_CHECKED_NODES} nodes.`}
      </p>
      {search.isRunning && (
        <Searching
          states={search.states}
          onStop={() => go(writeQuery({ ...asked, isViolating: false }), 'replace')}
        />
      )}
      {isSmall && !isSought && (
        <p>
          <button type="button" onClick={() => go(writeQuery({ ...asked, isViolating: true }))}>
            Show the violating run
          </button>
        </p>
      )}
      {search.complaint !== null && (
        <p role="alert" className="complaint">
          {search.complaint}
        </p>
      )}
    </div>
  )
})
