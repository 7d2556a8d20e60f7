import type { Budgets } from '@turnwise/checker/instance'
import { isElection } from '@turnwise/core/algorithm'
import { useState } from 'react'
import { known, playable, variantNamed } from '../../run/spec.ts'
import { variantTitle } from '../../run/variant-title.ts'
import type { Query } from '../../shell/address.ts'
import { AlgorithmOptions } from '../algorithm-options.tsx'
import { MOST_CHECKED_NODES } from '../checking/check-question.ts'
import { NumberField } from './number-field.tsx'
import { ResourceFields } from './resource-fields.tsx'

/** The troubles that a visitor is offered; the address knows all that the command line knows. */
const TROUBLES: readonly { readonly name: keyof Budgets; readonly label: string }[] = [
  { name: 'crashes', label: 'Crashes' },
  { name: 'drops', label: 'Lost messages' },
  { name: 'duplicates', label: 'Duplicates' },
]

export function QuestionForm({ query, onCheck }: { query: Query; onCheck: (query: Query) => void }) {
  const [words, setWords] = useState<Query>(query)
  const change = (name: string, value: string) => setWords({ ...words, [name]: value })
  // Settings of another algorithm's world are dropped with it.
  const choose = (algorithm: string) =>
    onCheck({ algorithm, nodes: words['nodes'], requests: words['requests'] })
  return (
    <form
      className="check-form"
      onSubmit={(event) => {
        event.preventDefault()
        onCheck(words)
      }}
    >
      <AlgorithmChoice chosen={words['algorithm'] ?? 'lamport'} onChoose={choose} />
      <NumberField
        label="Nodes"
        value={words['nodes'] ?? '3'}
        max={MOST_CHECKED_NODES}
        onChange={(value) => change('nodes', value)}
      />
      <label>
        Requests of each
        <select value={words['requests'] ?? '1'} onChange={(event) => change('requests', event.target.value)}>
          <option>1</option>
          <option>2</option>
          <option>any</option>
        </select>
      </label>
      <label>
        Channels
        <select value={words['channels'] ?? ''} onChange={(event) => change('channels', event.target.value)}>
          <option value="">as it needs</option>
          <option>fifo</option>
          <option>unordered</option>
        </select>
      </label>
      {hasResources(words['algorithm']) && (
        <ResourceFields words={words} onChange={(changes) => setWords({ ...words, ...changes })} />
      )}
      {TROUBLES.map(({ name, label }) => (
        <NumberField
          key={name}
          label={label}
          value={words[name] ?? '0'}
          min={0}
          max={3}
          onChange={(value) => change(name, value === '0' ? '' : value)}
        />
      ))}
      <button type="submit" className="primary">
        Check
      </button>
    </form>
  )
}

function hasResources(name: string | undefined): boolean {
  const found = playable.find(({ facts }) => facts.name === name)
  return found !== undefined && !isElection(found) && found.facts.resources === true
}

function AlgorithmChoice({ chosen, onChoose }: { chosen: string; onChoose: (name: string) => void }) {
  const variant = variantNamed(chosen)
  return (
    <label>
      Algorithm
      <select value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {variant !== null && <option value={chosen}>{variantTitle(variant)} (broken)</option>}
        <AlgorithmOptions of={known} />
      </select>
    </label>
  )
}
