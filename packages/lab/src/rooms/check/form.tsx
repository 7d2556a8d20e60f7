import type { Budgets } from '@turnwise/checker/instance'
import { useState } from 'react'
import { known, variants } from '../../run/spec.ts'
import type { Query } from '../../shell/address.ts'
import { AlgorithmOptions } from '../algorithm-options.tsx'
import { MOST_CHECKED_NODES } from '../checking/question.ts'

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
      <Number
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
      {TROUBLES.map(({ name, label }) => (
        <Number
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

function AlgorithmChoice({ chosen, onChoose }: { chosen: string; onChoose: (name: string) => void }) {
  const isVariant = variants.some(({ algorithm }) => algorithm.facts.name === chosen)
  return (
    <label>
      Algorithm
      <select value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {isVariant && <option value={chosen}>{chosen} (broken)</option>}
        <AlgorithmOptions of={known} />
      </select>
    </label>
  )
}

function Number(field: {
  label: string
  value: string
  min?: number
  max: number
  onChange: (value: string) => void
}) {
  return (
    <label>
      {field.label}
      <input
        type="number"
        min={field.min ?? 1}
        max={field.max}
        value={field.value === '' ? '0' : field.value}
        onChange={(event) => field.onChange(event.target.value)}
      />
    </label>
  )
}
