import { lazy, type ReactNode, Suspense, useCallback, useMemo, useRef } from 'react'
import { type Fitted, fitted } from '../../run/fitted.ts'
import type { Hand } from '../../run/hand.ts'
import { type Words, wordsOf } from '../../run/recorded-words.ts'
import { protocolNamed, type RunSpec, variantNamed } from '../../run/spec.ts'
import { isEmbedded } from '../../shell/embedding.ts'
import type { Opening } from '../../worker/record-opener.ts'
import type { RoomProps } from '../rooms.ts'
import { besideQuery } from './beside.ts'
import { BranchList } from './branches.tsx'
import { CompareButton } from './compare-button.tsx'
import { Later } from './later.tsx'
import { OpeningBar, useFileInput } from './open-button.tsx'
import { Playing } from './playing.tsx'
import { RunMenu } from './run-menu.tsx'
import type { Seen } from './saved.ts'
import { MoreSettings, Settings } from './settings.tsx'
import { type Asked, readQuery, writeQuery } from './theatre-query.ts'
import './theatre.css'
import { get } from '@turnwise/core/bounds'
import { useBranches, useForkArrival } from './use-branches.ts'
import { useFind } from './use-find.ts'
import { useFirstLook } from './use-first-look.ts'
import { type OpeningFiles, useOpened, useOpeningFiles } from './use-opened.ts'
import { type Playback, usePlayback } from './use-playback.ts'
import { type Run, useRun } from './use-run.ts'
import { useSharing } from './use-sharing.ts'

// The first picture has neither, and comes sooner without their search.
const BrokenRule = lazy(() => import('./broken-rule.tsx').then((found) => ({ default: found.BrokenRule })))
const StructureNote = lazy(() =>
  import('./unsafe-structure.tsx').then((found) => ({ default: found.StructureNote })),
)

const Embedded = lazy(() => import('./embedded.tsx'))
const SaveAs = lazy(() => import('./save-as.tsx'))
const Two = lazy(() => import('./two.tsx'))
const EmbedText = lazy(() => import('./embed-text.tsx'))

/** Pick an algorithm, watch it, break it; or two, on one axis of time. */
export default function Theatre(props: RoomProps) {
  if (props.query['beside'] === undefined) return <One {...props} />
  return (
    <Suspense fallback={<main aria-busy="true" />}>
      <Two {...props} />
    </Suspense>
  )
}

function One({ query, go }: RoomProps) {
  const asked = useMemo(() => readQuery(query), [query])
  const lookedAt = useRef(0)
  const { current: seen } = useRef<Seen>({ diagram: null, network: null })
  const { run, complaint, opening, notes, files, besideFiles } = useShownRun(asked, lookedAt, go)
  const start = asked.position ?? (asked.trace === undefined ? null : 0)
  const playback = usePlayback(run?.recording ?? null, start)
  lookedAt.current = playback.cursor.position
  const { branches, index, act, fork } = useBranches(asked.spec, asked.hands)
  useForkArrival(run, fork, playback.jump)
  useFirstLook(run, asked, playback.seek)
  const share = useSharing(asked, playback, run?.recording.isWhole === true, go)
  const change = useChange(playback.jump, asked, go)
  const find = useFind(asked, go)
  const onCompare = (hands: readonly Hand[]) => go(besideQuery(asked, { spec: asked.spec, hands }))
  const toBranch = (to: number) =>
    go(writeQuery({ ...asked, hands: get(branches, to).hands, position: playback.cursor.position }))
  const spec = run?.isRecord === true ? run.spec : asked.spec
  return (
    <main className="theatre">
      <h1 className="visually-hidden">Theatre</h1>
      <div className="settings-row">
        <AllSettings spec={spec} onChange={change} />
        <RunButtons {...{ run, playback, seen, share }} onOpen={files.open} onRecord={besideFiles.open}>
          {(onRecord) => (
            <CompareButton {...{ asked, branches, index, go, onRecord }} words={comparable(run, asked)} />
          )}
        </RunButtons>
      </div>
      <Intro query={query} />
      <Complaint words={files.complaint ?? besideFiles.complaint ?? complaint} />
      <Adjusted notes={notes} />
      <Warning {...{ spec, run, asked, go }} />
      <FilesComing files={files} />
      <FilesComing files={besideFiles} />
      {run === null && complaint === null && <Coming opening={opening} />}
      {/* Of a run that cannot be played, the one before would be a picture of something else. */}
      {run !== null && complaint === null && (
        <Playing
          key="playing"
          run={run}
          playback={playback}
          seen={seen}
          share={share}
          find={find}
          branches={<BranchList {...{ branches, onCompare }} current={index} onChoose={toBranch} />}
          nextBranch={() => toBranch((index + 1) % branches.length)}
          onAct={({ acts }) => {
            const hands = act(run, playback.cursor, acts)
            go(writeQuery({ ...asked, hands, position: null }))
          }}
        />
      )}
      <Framed run={run} playback={playback} />
    </main>
  )
}

/** The run or the record that the address names, and the files that a visitor opens, to see or to compare. */
function useShownRun(asked: Asked, lookedAt: { readonly current: number }, go: RoomProps['go']) {
  const fit = useFitted(asked.spec)
  const played = useRun(fit.spec, asked.hands, lookedAt)
  const opened = useOpened(asked.trace)
  const files = useOpeningFiles((trace) => go({ trace }))
  const besideFiles = useOpeningFiles((trace) =>
    go(besideQuery(asked, { spec: asked.spec, hands: [], trace })),
  )
  return asked.trace === undefined
    ? { ...played, opening: null, notes: fit.notes, files, besideFiles }
    : { ...opened, notes: [], files, besideFiles }
}

function FilesComing({ files: { opening, stop } }: { files: OpeningFiles }) {
  return opening === null ? null : <OpeningBar opening={opening} onStop={stop} />
}

/** The words for a run beside this one, or why there are none; null while its record is being opened. */
function comparable(run: Run | null, { trace, spec, hands }: Asked): Words | string | null {
  if (trace === undefined) return { spec, hands }
  return run === null ? null : wordsOf(run.recording, run.spec)
}

function AllSettings({ spec, onChange }: { spec: RunSpec; onChange: (spec: RunSpec) => void }) {
  const protocol = protocolOrNull(spec.algorithm)
  return (
    <>
      <Settings spec={spec} protocol={protocol} onChange={onChange} />
      <details className="more">
        <summary>More</summary>
        {protocol !== null && <MoreSettings spec={spec} protocol={protocol} onChange={onChange} />}
      </details>
    </>
  )
}

/** What only a run in a page of others has. */
function Framed({ run, playback }: { run: Run | null; playback: Playback }) {
  if (!isEmbedded || run === null) return null
  return (
    <Suspense fallback={null}>
      <Embedded run={run.recording} playback={playback} />
    </Suspense>
  )
}

interface RunButtonsProps {
  readonly run: Run | null
  readonly playback: Playback
  readonly seen: Seen
  readonly share: () => void
  readonly onOpen: (files: readonly File[]) => void
  /** Has the record in these files stand beside the run. */
  readonly onRecord: (files: readonly File[]) => void
  /** The button that compares, which can ask for such files. */
  readonly children: (choose: () => void) => ReactNode
}

/** How a run comes here and leaves. */
function RunButtons({ run, playback, seen, share, onOpen, onRecord, children }: RunButtonsProps) {
  const opened = useFileInput('opens', onOpen)
  const beside = useFileInput('opens-beside', onRecord)
  return (
    <>
      <RunMenu>
        {children(beside.choose)}
        <button type="button" onClick={opened.choose}>
          Open a trace
        </button>
        <Later name="Embed" onOpen={playback.pause}>
          {() => <EmbedText />}
        </Later>
        {run !== null && <Later name="Save as">{() => <SaveAs {...{ run, seen, playback }} />}</Later>}
        <button type="button" className="share" onClick={share}>
          Share
        </button>
      </RunMenu>
      {opened.input}
      {beside.input}
    </>
  )
}

/** What a visitor sees who asked for nothing yet. */
function Intro({ query }: Pick<RoomProps, 'query'>) {
  if (Object.keys(query).some((name) => name !== 'at')) return null
  return (
    <p className="intro">
      Processes take turns by sending messages, with nobody in charge. Everything in the picture can be
      clicked: crash a node, drop a message, cut a channel.
    </p>
  )
}

interface Warned {
  readonly spec: RunSpec
  readonly run: Run | null
  readonly asked: Asked
  readonly go: RoomProps['go']
}

/** What can go wrong in this run by its rules. */
function Warning({ spec, run, asked, go }: Warned) {
  const variant = variantNamed(spec.algorithm)
  const structure = run === null || run.isRecord ? null : run.world.config.setup.structure
  return (
    <Suspense fallback={null}>
      {variant !== null && <BrokenRule {...{ variant, asked, go }} />}
      {variant === null && structure !== null && <StructureNote {...{ structure, asked, go }} />}
    </Suspense>
  )
}

function Complaint({ words }: { words: string | null }) {
  if (words === null) return null
  return (
    <p className="complaint" role="alert">
      {words}
    </p>
  )
}

/** What was changed so that the run can be played. */
function Adjusted({ notes }: Pick<Fitted, 'notes'>) {
  if (notes.length === 0) return null
  return (
    <p className="adjusted" role="status">
      {notes.join(' ')}
    </p>
  )
}

/** The address keeps its words: with more nodes again, they fit again. */
function useFitted(spec: RunSpec): Fitted {
  const key = JSON.stringify(spec)
  // The key says all that the words say; the address also changes with every step.
  return useMemo(() => fitted(spec), [key])
}

function Coming({ opening }: { opening: Opening | null }) {
  if (opening !== null) return <OpeningBar opening={opening} onStop={null} />
  return <p className="hint loading">Playing the run…</p>
}

/** Has another run played from its beginning. The same function for every frame: settings are not drawn anew with each. */
function useChange(
  jump: (position: number) => void,
  { find }: Asked,
  go: RoomProps['go'],
): (spec: RunSpec) => void {
  const latest = useRef({ jump, find })
  latest.current = { jump, find }
  return useCallback(
    (spec) => {
      latest.current.jump(0)
      go(writeQuery({ spec, hands: [], position: null, find: latest.current.find }))
    },
    [go],
  )
}

function protocolOrNull(name: string) {
  try {
    return protocolNamed(name)
  } catch {
    // Told by the run that cannot be played.
    return null
  }
}
