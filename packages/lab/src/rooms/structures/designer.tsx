import { decimal, InvalidInput } from '@turnwise/core/invalid-input'
import { type Candidate, classicsFor } from '@turnwise/core/structure/classics-for'
import { OBJECTIVES, type Objective, type Wanted } from '@turnwise/core/structure/design'
import { expected } from '@turnwise/core/structure/expected'
import type { Structure } from '@turnwise/core/structure/structure'
import { useEffect, useRef, useState } from 'react'
import { round } from '../round.ts'
import type { Designed } from './design.worker.ts'
import { MOST_EDITED_NODES } from './editing.ts'

interface Proposal {
  readonly wanted: Wanted
  readonly candidates: readonly Candidate[]
  readonly remark: string
}

/** Looks for the structure that serves a workload best, and sets it beside the present one and the classic ones. */
export function Designer({ structure, onUse }: { structure: Structure; onUse: (next: Structure) => void }) {
  const [wished, setDemand] = useState<string | null>(null)
  const demand = wished ?? usualDemand(structure.nodes)
  const [objective, setObjective] = useState<Objective>('messages')
  const [maxLoad, setMaxLoad] = useState('1')
  const [complaint, setComplaint] = useState<string | null>(null)
  const { proposal, share, start } = useDesigner()
  const submit = () => {
    try {
      setComplaint(null)
      start({ demand: demandFrom(demand), objective, maxLoad: shareFrom(maxLoad), available: 0.95 })
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      setComplaint(error.message)
    }
  }
  return (
    <section aria-label="Designer">
      <h2>Find a better one</h2>
      <form
        className="structure-designer"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label>
          How often each node enters
          <input value={demand} onChange={(event) => setDemand(event.target.value)} />
        </label>
        <label>
          Best by
          <select value={objective} onChange={(event) => setObjective(event.target.value as Objective)}>
            {OBJECTIVES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Largest load of a node
          <input value={maxLoad} onChange={(event) => setMaxLoad(event.target.value)} />
        </label>
        <button type="submit" className="primary">
          Design
        </button>
      </form>
      {complaint !== null && (
        <p role="alert" className="complaint">
          {complaint}
        </p>
      )}
      {share !== null && <progress value={share} aria-label="Designing" />}
      {proposal !== null && <Table proposal={proposal} present={structure} onUse={onUse} />}
    </section>
  )
}

function useDesigner() {
  const worker = useRef<Worker | null>(null)
  const [proposal, setProposal] = useState<Proposal | null>(null)
  const [share, setShare] = useState<number | null>(null)
  useEffect(() => () => worker.current?.terminate(), [])
  const start = (wanted: Wanted) => {
    worker.current?.terminate()
    const designing = new Worker(new URL('./design.worker.ts', import.meta.url), { type: 'module' })
    worker.current = designing
    setShare(0)
    designing.addEventListener('message', ({ data }: MessageEvent<Designed>) => {
      if (data.is === 'progress') return setShare(data.share)
      designing.terminate()
      setShare(null)
      setProposal(proposalOf(wanted, data))
    })
    designing.postMessage({ wanted, seed: 1 })
  }
  return { proposal, share, start }
}

function proposalOf(wanted: Wanted, { design }: Extract<Designed, { is: 'found' }>): Proposal {
  const classics = classicsFor(wanted.demand)
  if (design === null) {
    return {
      wanted,
      candidates: classics,
      remark: `No structure keeps every load at or below ${wanted.maxLoad}.`,
    }
  }
  return {
    wanted,
    candidates: [{ name: 'designed', structure: design.structure }, ...classics],
    remark: design.isExact ? 'No structure is better than the designed one.' : 'The best that was found.',
  }
}

function Table(props: { proposal: Proposal; present: Structure; onUse: (next: Structure) => void }) {
  const { proposal, present, onUse } = props
  const { wanted, candidates, remark } = proposal
  const rows =
    present.nodes === wanted.demand.length
      ? [{ name: 'this one', structure: present }, ...candidates]
      : candidates
  return (
    <>
      <p>{remark}</p>
      <div className="structure-scroll">
        <table className="structure-costs figures">
          <thead>
            <tr>
              <td />
              <td />
              <th scope="col">Messages</th>
              <th scope="col">At most</th>
              <th scope="col">Delay</th>
              <th scope="col">Availability</th>
              <th scope="col">Largest load</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, structure }) => {
              const cost = expected(structure, wanted)
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    {structure !== present && (
                      <button type="button" aria-label={`Use ${name}`} onClick={() => onUse(structure)}>
                        Use
                      </button>
                    )}
                  </td>
                  <td>{round(cost.messages.least)}</td>
                  <td>{round(cost.messages.most)}</td>
                  <td>{round(cost.delay)}</td>
                  <td>{round(cost.availability)}</td>
                  <td>{round(cost.load)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Two busy nodes and others that are seldom in need, as the paper's Figure 2 has them. */
const usualDemand = (nodes: number): string =>
  Array.from({ length: nodes }, (_, node) => (node < 2 ? 10 : 1)).join(',')

function demandFrom(text: string): number[] {
  const demand = text.split(',').map((weight) => decimal(weight.trim(), 'a demand', { min: 0 }))
  if (demand.length > MOST_EDITED_NODES) {
    throw new InvalidInput(`"${text}" names ${demand.length} nodes: at most ${MOST_EDITED_NODES}`)
  }
  if (demand.every((weight) => weight === 0)) throw new InvalidInput(`"${text}": no node ever enters`)
  return demand
}

const shareFrom = (text: string): number => decimal(text, 'a share of entries', { min: 0, max: 1 })
