import type { Shape } from '@turnwise/core/shape'
import { Fragment } from 'react'
import { isFlags, nodesIn } from '../../scene/beliefs.ts'

/** A variable's value as the algorithm means it: nodes are small circles, not figures among others. */
export function Value({ value, shape }: { value: unknown; shape: Shape | undefined }) {
  if (value === null || value === undefined) return <span className="none">—</span>
  if (typeof value === 'boolean') return <span>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'number') return shape === 'node' ? <Circle node={value} /> : <span>{value}</span>
  if (Array.isArray(value)) return <ListValue value={value} shape={shape} />
  if (typeof value === 'object') return <FieldsValue value={value} shape={shape} />
  return <span>{typeof value === 'string' ? value : ''}</span>
}

/** The fence is for resources outside, and no paper has it: only the live room speaks of it. */
export function shownFields(value: object): [string, unknown][] {
  return Object.entries(value).filter(([name]) => name !== 'fence')
}

/** Whether it is shown as boxes: an old one and a new one in one line would read as a longer list. */
export function hasRecords(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return !Array.isArray(value) || value.some(hasRecords)
}

function Circle({ node }: { node: number }) {
  return <span className="circle">{node}</span>
}

function ListValue({ value, shape }: { value: readonly unknown[]; shape: Shape | undefined }) {
  const areFlags = isFlags(value)
  const isPlainNodes = typeof shape === 'object' && 'list' in shape && shape.list === 'node'
  if (areFlags || isPlainNodes) {
    const nodes = nodesIn(shape, value) ?? value.flatMap((item, index) => (item === true ? [index] : []))
    if (nodes.length === 0) return <span className="none">nobody</span>
    return (
      <span className="circles">
        {nodes.map((node, index) => (
          // A queue may name a node twice. The space is where a line can end.
          <Fragment key={index}>
            <Circle node={node} />{' '}
          </Fragment>
        ))}
      </span>
    )
  }
  if (value.length === 0) return <span className="none">empty</span>
  // A figure per node is one line of text, not an element for each.
  if (value.every((item) => item === null || typeof item === 'number'))
    return <span>{value.map((item) => item ?? '—').join(' · ')}</span>
  const inner =
    typeof shape !== 'object'
      ? undefined
      : 'list' in shape
        ? shape.list
        : 'perNode' in shape
          ? shape.perNode
          : undefined
  return (
    <span className="items">
      {value.map((item, index) => (
        <span key={index}>
          <Value value={item} shape={inner} />
        </span>
      ))}
    </span>
  )
}

function FieldsValue({ value, shape }: { value: object; shape: Shape | undefined }) {
  const fields = typeof shape === 'object' && 'fields' in shape ? shape.fields : {}
  return (
    <span className="record">
      {shownFields(value).map(([name, item]) => (
        <span key={name}>
          <span className="field-name">{name}</span> <Value value={item} shape={fields[name]} />
        </span>
      ))}
    </span>
  )
}
