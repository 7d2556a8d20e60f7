import type { Structure } from '@turnwise/core/structure/structure'
import { tellFlaw, validate } from '@turnwise/core/structure/validate'
import { memo, useMemo } from 'react'
import { MOST_CHECKED_NODES, readQuestion } from '../checking/check-question.ts'
import type { RoomProps } from '../rooms.ts'
import { Searching } from './broken-rule.tsx'
import { type Asked, writeQuery } from './theatre-query.ts'
import { useViolatingRun } from './use-violating-run.ts'

interface Props {
  readonly structure: Structure
  readonly asked: Asked
  readonly go: RoomProps['go']
}

/** Nothing, if the structure guarantees exclusion. */
export function StructureNote({ structure, asked, go }: Props) {
  const flaw = useMemo(() => validate(structure).flaws[0] ?? null, [structure])
  return flaw === null ? null : <UnsafeStructure flaw={tellFlaw(flaw)} asked={asked} go={go} />
}

/** A structure that is not safe is run like any other. Most runs do not show it, so one that does is offered. */
const UnsafeStructure = memo(({ flaw, asked, go }: Omit<Props, 'structure'> & { flaw: string }) => {
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
