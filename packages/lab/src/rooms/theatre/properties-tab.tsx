import type { Property } from '../../run/properties.ts'

function verdictOf(holds: Property['holds']) {
  if (holds === null) return { is: 'open', sign: '?', text: 'is not decided' } as const
  return holds
    ? ({ is: 'holds', sign: '✓', text: 'holds' } as const)
    : ({ is: 'fails', sign: '✗', text: 'fails' } as const)
}

/** The properties of the run, as sentences. */
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
        <li key={name} className={verdictOf(holds).is}>
          <h3>
            <span aria-hidden="true">{verdictOf(holds).sign}</span> {title}: {verdictOf(holds).text}
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

/** The same as chips beside the sentence, so that a visitor who watches the picture sees a failure too. */
export function Chips({ properties, onOpen }: { properties: readonly Property[]; onOpen: () => void }) {
  return (
    <ul className="chips" aria-label="Properties">
      {toldOnce(properties).map(({ name, title, holds, reason }) => (
        <li key={name}>
          <button type="button" className={`chip ${verdictOf(holds).is}`} onClick={onOpen} title={reason}>
            <span aria-hidden="true">{verdictOf(holds).sign}</span> {holds === true ? title : reason}
            <span className="visually-hidden">
              {holds === true ? ' holds' : ` (${title} ${verdictOf(holds).text})`}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Those who wait in a deadlock wait in vain: that is one thing, and told once. */
export function toldOnce(properties: readonly Property[]): readonly Property[] {
  const fails = (wanted: Property['name']) =>
    properties.some(({ name, holds }) => name === wanted && holds === false)
  if (!fails('deadlock') || !fails('waiting')) return properties
  return properties
    .filter(({ name }) => name !== 'deadlock')
    .map((property) =>
      property.name === 'waiting'
        ? { ...property, title: 'No deadlock', reason: `Deadlock: ${uncapital(property.reason)}` }
        : property,
    )
}

const uncapital = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
