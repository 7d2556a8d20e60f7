import type { Property } from '../../run/properties.ts'

/** What ought to be true, as sentences. */
export function PropertiesTab({
  properties,
  onShow,
}: {
  properties: readonly Property[]
  onShow: (position: number) => void
}) {
  return (
    <ul className="properties">
      {properties.map(({ name, title, holds, reason, since }) => (
        <li key={name} className={holds ? 'holds' : 'fails'}>
          <h3>
            <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {title}: {holds ? 'holds' : 'fails'}
          </h3>
          <p>{reason}</p>
          {since !== null && (
            <button type="button" onClick={() => onShow(since)}>
              Show the moment
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The same as chips beside the sentence: who looks only at the picture sees that something fails. */
export function Chips({ properties, onOpen }: { properties: readonly Property[]; onOpen: () => void }) {
  return (
    <ul className="chips" aria-label="Properties">
      {properties.map(({ name, title, holds, reason }) => (
        <li key={name}>
          <button
            type="button"
            className={holds ? 'chip holds' : 'chip fails'}
            onClick={onOpen}
            title={reason}
          >
            <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {holds ? title : reason}
            <span className="visually-hidden">{holds ? ' holds' : ` (${title} fails)`}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
