import { type CSSProperties, Fragment, memo, useMemo } from 'react'
import { type ShownFunction, type ShownLine, type ShownPart, shownCode } from '../../code/shown-code.ts'
import type { Moment } from '../../run/moment.ts'
import { writeAddress } from '../../shell/address.ts'
import './code.css'
import { nameOf } from './glossary.ts'
import { useCode } from './use-code.ts'
import type { Run } from './use-run.ts'

/** The rules of the algorithm that this step called, as they are written, and which of their lines ran. */
export default function CodeTab({ run, moment }: { run: Run; moment: Moment }) {
  const { followed, complaint } = useCode(run)
  const { happening } = moment
  const { algorithm } = run.world.config
  const event = happening === null ? -1 : run.recording.events.indexOf(happening.cause)
  const way = followed?.wayOf(event)
  const names = useMemo(
    () => paperNames(algorithm.facts.name, Object.keys(algorithm.shapes.state)),
    [algorithm],
  )
  const shown = useMemo(
    () => (followed == null || way == null ? [] : shownCode(followed.files, way, new Set(names.keys()))),
    [followed, way, names],
  )
  if (complaint !== null) return <p className="hint">{complaint}</p>
  if (happening === null) return <p className="hint">Nothing has happened yet, so no rule has run.</p>
  if (way === undefined) return <p className="hint">Finding the lines that ran…</p>
  if (way === null) return <p className="hint">No rule of the algorithm ran in this step.</p>
  return (
    <div className="code">
      <p className="hint">
        What ran in this step is marked, in the order of the calls.{' '}
        <a href={writeAddress({ room: 'write', query: { from: run.spec.algorithm } })}>Change the rules</a>
      </p>
      {shown.map((each) => (
        <Function key={`${each.path} ${each.lines[0]?.number}`} shown={each} names={names} />
      ))}
      <PaperNames shown={shown} names={names} />
    </div>
  )
}

type Names = ReadonlyMap<string, { readonly paper: string; readonly about: string }>

/** The variables for which the paper has a name of its own. */
function paperNames(algorithm: string, fields: readonly string[]): Names {
  return new Map(
    fields.flatMap((field) => {
      const { paper, about } = nameOf(algorithm, field)
      return paper === null ? [] : [[field, { paper, about }] as const]
    }),
  )
}

const Function = memo(({ shown, names }: { shown: ShownFunction; names: Names }) => {
  const file = shown.path.replace(/^.*\//, '')
  const indent = Math.min(...shown.lines.filter(({ parts }) => parts.length > 0).map(indentOf))
  return (
    <section aria-label={`${shown.name || 'a function'} in ${file}`}>
      <h3>
        <code>{shown.name || '…'}</code> <small>{file}</small>
      </h3>
      <ol>
        {shown.lines.map((line) => (
          <Line key={line.number} line={line} indent={indentOf(line) - indent} names={names} />
        ))}
      </ol>
    </section>
  )
})

function indentOf({ parts }: ShownLine): number {
  const text = parts.map((part) => part.text).join('')
  return text.length - text.trimStart().length
}

/** A line that is too long goes on below, further in than it began. */
function Line({ line, indent, names }: { line: ShownLine; indent: number; names: Names }) {
  const style = { '--indent': Math.max(0, indent) } as CSSProperties
  return (
    <li className={line.isLit ? 'lit' : undefined}>
      <span className="number" aria-hidden="true">
        {line.number}
      </span>
      <code style={style}>
        {line.isLit && <span className="visually-hidden">ran: </span>}
        {trimmed(line.parts).map((part, at) => (
          <Fragment key={at}>{partOf(part, names)}</Fragment>
        ))}
      </code>
    </li>
  )
}

/** Without the blanks before it. */
function trimmed(parts: readonly ShownPart[]): ShownPart[] {
  const from = parts.findIndex(({ text }) => text.trim() !== '')
  return parts
    .slice(Math.max(0, from))
    .map((part, at) => (at === 0 ? { ...part, text: part.text.trimStart() } : part))
}

function partOf({ text, is, field }: ShownPart, names: Names) {
  const name = field === null ? undefined : names.get(field)
  const shown = name === undefined ? text : <abbr title={name.about}>{text}</abbr>
  return is === 'ran' ? <mark>{shown}</mark> : <span className={is}>{shown}</span>
}

/** What the paper calls the variables that are read or written here. */
function PaperNames({ shown, names }: { shown: readonly ShownFunction[]; names: Names }) {
  const used = new Set(
    shown.flatMap(({ lines }) => lines.flatMap(({ parts }) => parts.map(({ field }) => field))),
  )
  const listed = [...names].filter(([field, { paper }]) => used.has(field) && paper !== field)
  if (listed.length === 0) return null
  return (
    <section className="paper-names" aria-label="Names in the paper">
      <h3>In the paper</h3>
      <dl>
        {listed.map(([field, { paper, about }]) => (
          <div key={field}>
            <dt>
              <code>{field}</code>
            </dt>
            <dd title={about}>{paper}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
