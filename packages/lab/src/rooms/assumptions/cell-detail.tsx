import grid from 'virtual:assumptions'
import { useMemo, useState } from 'react'
import { propertyTitle } from '../../run/property-title.ts'
import { writeAddress } from '../../shell/address.ts'
import { readQuestion } from '../checking/check-question.ts'
import { Searching } from '../theatre/broken-rule.tsx'
import { useViolatingRun } from '../theatre/use-violating-run.ts'
import { type Finding, findingsAt, type Place, standingAt } from './records.ts'

/** What became of each property in a cell, and how to see it. */
export function CellDetail({ place }: { place: Place }) {
  const { algorithm, dropped } = place
  const [sought, setSought] = useState<Finding | null>(null)
  const question = useMemo(() => (sought === null ? null : readQuestion(sought.query)), [sought])
  const search = useViolatingRun(question, (trace) => {
    window.location.hash = writeAddress({ room: 'theatre', query: { trace } })
  })
  const { is } = standingAt(grid, place)
  const findings = findingsAt(grid, place)
  return (
    <>
      <h2>{algorithm.facts.title}</h2>
      <p>
        {capital(dropped.title)}: <strong data-is={is}>{is}</strong>
      </p>
      {search.isRunning && <Searching states={search.states} onStop={() => setSought(null)} />}
      {search.complaint !== null && (
        <p role="alert" className="complaint">
          {search.complaint}
        </p>
      )}
      <ul className="assumptions-findings">
        {findings.map((finding) => (
          <li key={finding.property} data-is={finding.is}>
            <h3>
              <span aria-hidden="true">{SIGNS[finding.is]}</span> {capital(propertyTitle(finding.property))}:{' '}
              {told(finding)}
            </h3>
            {finding.is === 'fails' && (
              <p>
                <button type="button" onClick={() => setSought(finding)}>
                  Watch the run
                </button>{' '}
                <a href={writeAddress({ room: 'check', query: finding.query })}>Its steps</a>
              </p>
            )}
            <code>{finding.command}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

const SIGNS = { holds: '✓', fails: '✗', open: '?' } as const

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function told({ is, fails, world: { nodes, requests } }: Finding): string {
  const size = `${nodes} nodes, ${requests === 1 ? 'one request' : `${requests} requests`} of each`
  if (is === 'holds') return `holds with ${size}`
  return is === 'fails' ? `fails after ${fails} steps, with ${size}` : 'not decided'
}
