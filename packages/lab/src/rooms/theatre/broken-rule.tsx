import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { memo, useMemo } from 'react'
import { propertyTitle } from '../../run/property-title.ts'
import { writeAddress } from '../../shell/address.ts'
import { queryOf, readQuestion } from '../checking/check-question.ts'
import type { RoomProps } from '../rooms.ts'
import { type Asked, writeQuery } from './theatre-query.ts'
import { useViolatingRun } from './use-violating-run.ts'

/** The address at which the theatre looks for the run that breaks a rule, and shows it. */
export function violatingAddress(variant: BrokenVariant<AnyProtocol>): string {
  return writeAddress({
    room: 'theatre',
    query: { algorithm: variant.algorithm.facts.name, violating: 'yes' },
  })
}

interface Props {
  readonly variant: BrokenVariant<AnyProtocol>
  readonly asked: Asked
  readonly go: RoomProps['go']
}

/** The broken rule of an algorithm, and a link to the run that shows the failure. */
export const BrokenRule = memo(({ variant, asked, go }: Props) => {
  const { rule, failure, repair, fails } = variant
  const isRecord = asked.trace !== undefined
  const isSought = asked.isViolating === true && !isRecord
  // It replaces the search in the history, so that going back does not search again.
  const question = useMemo(() => (isSought ? readQuestion(queryOf(variant)) : null), [isSought, variant])
  const search = useViolatingRun(question, (trace) => go({ trace }, 'replace'))
  return (
    <div className="broken-rule">
      <p>
        <strong>Broken on purpose:</strong> {rule} What fails: <em>{propertyTitle(fails)}</em>. {failure}
        {isRecord && (
          <>
            {' '}
            <strong>The repair:</strong> {repair}
          </>
        )}
      </p>
      {search.isRunning && (
        <Searching
          states={search.states}
          onStop={() => go(writeQuery({ ...asked, isViolating: false }), 'replace')}
        />
      )}
      {!isSought && !isRecord && (
        <Offer
          variant={variant}
          onShow={() => go(writeQuery({ ...asked, isViolating: true }))}
          onCompare={() => go(writeQuery({ ...asked, position: null, beside: variant.of }))}
        />
      )}
      {search.complaint !== null && (
        <p role="alert" className="complaint">
          {search.complaint}
        </p>
      )}
    </div>
  )
})

export function Searching({ states, onStop }: { states: number; onStop: () => void }) {
  return (
    <p role="status">
      <progress aria-label="Looking for the violating run" />{' '}
      <span className="figures">{states.toLocaleString('en-US')} states</span>{' '}
      <button type="button" onClick={onStop}>
        Stop
      </button>
    </p>
  )
}

function Offer({
  variant,
  onShow,
  onCompare,
}: {
  variant: BrokenVariant<AnyProtocol>
  onShow: () => void
  onCompare: () => void
}) {
  return (
    <p>
      <button type="button" onClick={onShow}>
        Show the violating run
      </button>{' '}
      <button type="button" onClick={onCompare}>
        Compare with the right rule
      </button>{' '}
      <small>
        {variant.takesLong === true
          ? 'Most runs do not show the failure. Finding one that does takes a minute or more.'
          : 'Most runs do not show the failure. This finds a shortest one that does.'}
      </small>
    </p>
  )
}
