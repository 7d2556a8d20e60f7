import { catalogue } from '@turnwise/algorithms/catalogue'
import { LATENCY_FORMS } from '@turnwise/simulator/latency'
import { useState } from 'react'
import { algorithmTitle } from '../../run/algorithm-title.ts'
import type { Query } from '../../shell/address.ts'
import { AlgorithmOptions } from '../algorithm-options.tsx'
import { DEFAULTS, listOf } from './sweep.ts'

type Wish = keyof typeof DEFAULTS

const FIELDS: readonly { readonly name: Wish; readonly label: string; readonly hint: string }[] = [
  { name: 'nodes', label: 'Nodes', hint: 'numbers such as 3,5,9' },
  { name: 'load', label: 'Loads', hint: 'light, heavy, poisson:RATE, closed:THINK' },
  { name: 'latency', label: 'Latency', hint: LATENCY_FORMS },
  { name: 'entries', label: 'Entries per run', hint: 'the number of entries' },
  { name: 'seed', label: 'First seed', hint: 'the seed of all random draws' },
  { name: 'repeats', label: 'Seeds per point', hint: 'more make the intervals smaller' },
]

/** The comparison. It is measured on demand, not at every keystroke. */
export function ComparisonForm({ query, onMeasure }: { query: Query; onMeasure: (query: Query) => void }) {
  const [wishes, setWishes] = useState<Record<string, string>>({ ...DEFAULTS, ...defined(query) })
  const change = (name: string, text: string) => setWishes({ ...wishes, [name]: text })
  const chosen = listOf(wishes['algorithms'] ?? '')
  const measure = (next: Record<string, string>) => onMeasure(onlyWished(next))
  const choose = (names: readonly string[]) => {
    const next = { ...wishes, algorithms: names.join(',') }
    setWishes(next)
    measure(next)
  }
  return (
    <form
      className="compare-form"
      onSubmit={(event) => {
        event.preventDefault()
        measure(wishes)
      }}
    >
      <Chosen chosen={chosen} onChoose={choose} />
      {FIELDS.map(({ name, label, hint }) => (
        <label key={name}>
          {label}
          <input
            value={wishes[name]}
            aria-describedby={`hint-${name}`}
            spellCheck={false}
            onChange={(event) => change(name, event.target.value)}
          />
          <small id={`hint-${name}`}>{hint}</small>
        </label>
      ))}
      <button type="submit" className="primary">
        Measure
      </button>
    </form>
  )
}

/** What is compared: each can be left out, and any other added. */
function Chosen({
  chosen,
  onChoose,
}: {
  chosen: readonly string[]
  onChoose: (names: readonly string[]) => void
}) {
  return (
    <fieldset>
      <legend>Algorithms</legend>
      <ul className="compare-chosen">
        {chosen.map((name) => (
          <li key={name}>
            <button
              type="button"
              aria-label={`Leave out ${algorithmTitle(name)}`}
              onClick={() => onChoose(chosen.filter((other) => other !== name))}
            >
              {algorithmTitle(name)} <span aria-hidden="true">×</span>
            </button>
          </li>
        ))}
        <li>
          <select
            aria-label="Add an algorithm"
            value=""
            onChange={(event) => onChoose([...chosen, event.target.value])}
          >
            <option value="">Add…</option>
            <AlgorithmOptions of={catalogue.filter(({ facts }) => !chosen.includes(facts.name))} />
          </select>
        </li>
      </ul>
    </fieldset>
  )
}

function defined(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Defaults need not be in the address. */
function onlyWished(wishes: Record<string, string>): Query {
  return Object.fromEntries(Object.entries(wishes).filter(([name, text]) => DEFAULTS[name as Wish] !== text))
}
