import { InvalidInput } from '@turnwise/core/invalid-input'
import { exercises } from '@turnwise/workshop/exercises'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { known, variantNamed, variants } from '../../run/spec.ts'
import { writeAddress } from '../../shell/address.ts'
import { AlgorithmOptions, VariantOptions } from '../algorithm-options.tsx'
import '../check/check.css'
import { Result } from '../check/result.tsx'
import { readQuestion } from '../checking/check-question.ts'
import type { RoomProps } from '../rooms.ts'
import { Save } from '../save.tsx'
import { violatingAddress } from '../theatre/broken-rule.tsx'
import { packTexts, unpack } from '../theatre/packed.ts'
import { beginning, exerciseIn, FROM_LINK, fileName, keep, kept, lastFrom, worldsFor } from './beginnings.ts'
import { Editor } from './editor.tsx'
import { useRunAddress } from './in-theatre.ts'
import { type CheckedText, useCheckedText } from './use-checked-text.ts'
import { type CheckedTypes, useTypes } from './use-types.ts'
import './write.css'

export default function WriteRoom({ query, go }: RoomProps) {
  const carried = query['text']
  if (carried !== undefined) return <Carried word={carried} go={go} />
  return <Writing key={query['from'] ?? ''} query={query} go={go} />
}

/** A text from an address: shown, and not run before the visitor says so. */
function Carried({ word, go }: { word: string; go: RoomProps['go'] }) {
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    void unpack(word).then(async (files) => {
      const found = await files?.[0]?.text()
      if (isWanted) setText(found ?? '')
    })
    return () => {
      isWanted = false
    }
  }, [word])
  const accept = (accepted: string) => {
    keep(FROM_LINK, accepted)
    go({ from: FROM_LINK }, 'replace')
  }
  return (
    <main className="check write">
      <header>
        <h1>This link carries an algorithm. Run it?</h1>
        <p>
          Somebody wrote the text below. Nothing of it has run yet. If you run it, it runs in a sandbox
          without network, which cannot reach anything else on this page.
        </p>
      </header>
      {text === '' ? (
        <p role="alert">The text in this address is cut off or damaged.</p>
      ) : (
        <p className="write-tools">
          <button
            type="button"
            className="primary"
            disabled={text === null}
            onClick={() => accept(text ?? '')}
          >
            Run it
          </button>
          <button type="button" onClick={() => go({}, 'replace')}>
            Leave it
          </button>
        </p>
      )}
      {text !== null && text !== '' && (
        <Editor text={text} isReadOnly fault={null} types={null} onChange={() => {}} />
      )}
    </main>
  )
}

function Writing({ query, go }: RoomProps) {
  const [from] = useState(() => query['from'] ?? lastFrom())
  const [start, setStart] = useState<string | null>(() => kept(from))
  const [text, setText] = useState(start)
  const place = useRef<HTMLDivElement>(null)
  const load = async () => {
    const { default: sources } = await import('virtual:sources')
    const fresh = (await beginning(from, sources)) ?? (await beginning('template', sources)) ?? ''
    setStart(fresh)
    setText(fresh)
  }
  useEffect(() => {
    if (start === null) void load()
  }, [start])
  const { nodes, requests, complaint } = useMemo(() => sizeIn(query), [query])
  const task = useMemo(
    () => (text === null ? null : { text, worlds: worldsFor(from, nodes, requests) }),
    [text, from, nodes, requests],
  )
  const checked = useCheckedText(task, place)
  const write = (written: string) => {
    keep(from, written)
    setText(written)
  }
  const startOver = () => {
    keep(from, null)
    setStart(null)
  }
  const fault = checked.said?.is === 'faulty' ? checked.said : null
  // The checker answers first: the compiler takes a while to load.
  const types = useTypes(checked.said === null ? null : text)
  return (
    <main className="check write">
      <header>
        <h1>Write your own</h1>
        <About from={from} />
      </header>
      <Tools from={from} text={text ?? ''} query={query} go={go} onStartOver={startOver} />
      {complaint !== null && <p role="alert">{complaint}</p>}
      <div className="write-parts" ref={place}>
        {start !== null && <Editor text={start} isReadOnly={false} {...{ fault, types }} onChange={write} />}
        <Outcome from={from} checked={checked}>
          <Types types={types} isCurrent={types.text === text} />
        </Outcome>
      </div>
    </main>
  )
}

/** What is to be done with the text. */
function About({ from }: { from: string }) {
  const variant = variantNamed(from)
  if (variant !== null)
    return (
      <p>
        Broken on purpose: {variant.rule} Mend it, or <a href={violatingAddress(variant)}>watch it fail</a>.
      </p>
    )
  const { question = 'Change a rule. When you pause, every interleaving of a small world is checked.' } =
    exerciseIn(from) ?? {}
  return <p>{question}</p>
}

function Tools(props: RoomProps & { from: string; text: string; onStartOver: () => void }) {
  const { from, text, query, go, onStartOver } = props
  const [shared, setShared] = useState<string | null>(null)
  const share = async () => {
    const word = await packTexts([text])
    if (!word.startsWith('z')) return setShared('Too long for an address: save it as a file.')
    const address = new URL(writeAddress({ room: 'write', query: { text: word } }), window.location.href)
    // An address of a mesh has its token: that is not shared.
    address.search = ''
    await navigator.clipboard?.writeText(address.href).then(
      () => setShared('The address is copied.'),
      () => setShared(address.href),
    )
  }
  return (
    <div className="check-form write-tools">
      <Beginning from={from} onChoose={(chosen) => go({ from: chosen })} />
      {exerciseIn(from) === null && <World query={{ from, ...query }} go={go} />}
      <button type="button" onClick={onStartOver}>
        Start over
      </button>
      <Save name={fileName(text)} type="text/plain" text={() => text} label="Save as a file" />
      <button type="button" onClick={() => void share()}>
        Share
      </button>
      <span role="status" className="write-shared">
        {shared}
      </span>
    </div>
  )
}

function Beginning({ from, onChoose }: { from: string; onChoose: (from: string) => void }) {
  return (
    <label>
      Begin from
      <select value={from} onChange={(event) => onChoose(event.target.value)}>
        <option value="template">The template</option>
        {from === FROM_LINK && <option value={FROM_LINK}>A link</option>}
        <optgroup label="Exercises">
          {exercises.map(({ slug, title }) => (
            <option key={slug} value={`exercise:${slug}`}>
              {title}
            </option>
          ))}
        </optgroup>
        <AlgorithmOptions of={known} />
        <VariantOptions of={variants} />
      </select>
    </label>
  )
}

function World({ query, go }: RoomProps) {
  const change = (name: string, value: string) => go({ ...query, [name]: value }, 'replace')
  return (
    <>
      <label>
        Nodes
        <select value={query['nodes'] ?? ''} onChange={(event) => change('nodes', event.target.value)}>
          <option value="">as given</option>
          {['1', '2', '3', '4'].map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
      </label>
      <label>
        Requests of each
        <select value={query['requests'] ?? ''} onChange={(event) => change('requests', event.target.value)}>
          <option value="">as given</option>
          {['1', '2', 'any'].map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
      </label>
    </>
  )
}

function Outcome({ from, checked, children }: { from: string; checked: CheckedText; children: ReactNode }) {
  const { isRunning, states, said, took } = checked
  const address = useRunAddress(said?.is === 'checked' ? said.opened : null)
  const exercise = exerciseIn(from)
  return (
    <section className="write-outcome" aria-label="What the checker says" aria-busy={isRunning}>
      <p role="status" className="figures">
        {isRunning
          ? `Checking… ${states.toLocaleString('en-US')} states`
          : said === null
            ? 'Loading…'
            : `Answered ${(took / 1000).toFixed(1)} s after the last key`}
      </p>
      {said?.is === 'faulty' && (
        <p className="write-fault" role="alert">
          {said.place === null ? '' : `Line ${said.place.line}: `}
          {said.what}
        </p>
      )}
      {children}
      {said?.is === 'checked' && exercise !== null && (
        <p>
          World {said.worlds} of {exercise.worlds.length} of the exercise
        </p>
      )}
      {said?.is === 'checked' && <Result answer={said.answer} variant={null} inTheatre={address} />}
      {exercise !== null && <Hints key={from} hints={exercise.hints} />}
    </section>
  )
}

/** Types do not keep a text from being checked: they are gone when it runs. */
function Types({ types, isCurrent }: { types: CheckedTypes; isCurrent: boolean }) {
  const { faults, isMissing } = types
  if (isMissing) return <p className="hint">Types are not checked: the compiler could not be loaded.</p>
  if (types.text === null) return null
  return (
    <section className="write-types" aria-label="Types" aria-busy={!isCurrent}>
      <h2>{faults.length === 0 ? '✓ The types fit' : '✗ Types do not fit'}</h2>
      <ul>
        {faults.map(({ line, from, what }) => (
          <li key={`${from} ${what}`}>
            Line {line}: {what}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Hints({ hints }: { hints: readonly string[] }) {
  return (
    <div className="write-hints">
      {hints.map((hint, i) => (
        <details key={hint}>
          <summary>Hint {i + 1}</summary>
          {hint}
        </details>
      ))}
    </div>
  )
}

/** The size of the world, as far as the address says it, in the words of the room Check. */
function sizeIn({ nodes, requests }: RoomProps['query']) {
  try {
    const asked = readQuestion({ nodes, requests })
    return {
      nodes: nodes === undefined ? null : asked.nodes,
      requests: requests === undefined ? null : asked.requests,
      complaint: null,
    }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { nodes: null, requests: null, complaint: error.message }
  }
}
