import type { Structure } from '@turnwise/core/structure/structure'
import { metrics } from '@turnwise/core/structure/structure-cost'
import { tellFlaw, type Verdict } from '@turnwise/core/structure/validate'
import { round } from '../round.ts'

/** So many flaws are told one by one; a structure far from correct has hundreds. */
const MOST_TOLD = 6

/** What the theorem says, with the conditions that fail. */
export function Judgement({ verdict: { valid, flaws, form } }: { verdict: Verdict }) {
  return (
    <section aria-label="The theorem's verdict" className="structure-verdict" data-holds={valid}>
      <h2>{valid ? '✓ Guarantees mutual exclusion' : '✗ Does not guarantee mutual exclusion'}</h2>
      <p>
        {form === 'theorem'
          ? 'Every node tells itself, so the theorem (Sanders 1987, section 4) decides.'
          : 'Some node does not tell itself, so the footnote’s form applies: it is sufficient, not necessary.'}
      </p>
      {flaws.length > 0 && (
        <ul>
          {flaws.slice(0, MOST_TOLD).map((flaw) => (
            <li key={tellFlaw(flaw)}>{tellFlaw(flaw)}</li>
          ))}
          {flaws.length > MOST_TOLD && <li>and {flaws.length - MOST_TOLD} more</li>}
        </ul>
      )}
    </section>
  )
}

/** What an entry costs each node (section 6). */
export function Costs({ structure }: { structure: Structure }) {
  const { perNode, messages, delay } = metrics(structure)
  return (
    <section aria-label="Metrics">
      <h2>What it costs</h2>
      <div className="structure-scroll">
        <table className="structure-costs figures">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Messages</th>
              <th scope="col">At most</th>
              <th scope="col">
                Delay D<sub>i</sub>
              </th>
            </tr>
          </thead>
          <tbody>
            {perNode.map((node, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a node is its number.
              <tr key={index}>
                <th scope="row">{index}</th>
                <td>{node.messages.least}</td>
                <td>{node.messages.most}</td>
                <td>{round(node.delay)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Mean</th>
              <td>{round(messages.least)}</td>
              <td>{round(messages.most)}</td>
              <td>{round(delay)}</td>
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  )
}
