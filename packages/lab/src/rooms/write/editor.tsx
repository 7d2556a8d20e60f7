import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Place } from '@turnwise/workshop/faulty-text'
import { useEffect, useRef } from 'react'
import type { CheckedTypes } from './use-types.ts'

interface EditorProps {
  /** Another text replaces what was written. */
  readonly text: string
  readonly isReadOnly: boolean
  /** What is wrong, and where. */
  readonly fault: { readonly what: string; readonly place: Place | null } | null
  /** Types that do not fit, in the text that they are about; they are not shown in another. */
  readonly types: Pick<CheckedTypes, 'text' | 'faults'> | null
  readonly onChange: (text: string) => void
}

export function Editor({ text, isReadOnly, fault, types, onChange }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    if (host.current === null) return undefined
    // The editor makes its styles as it goes. Below a shadow root they are no elements, which the page's policy forbids.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: text, extensions: extensions(isReadOnly, changed) }),
      scrollTo: EditorView.scrollIntoView(rulesIn(text), { y: 'start' }),
    })
    // Scrolled by keys alone, too.
    made.scrollDOM.tabIndex = 0
    view.current = made
    return () => made.destroy()
  }, [text, isReadOnly])
  useEffect(() => {
    const { state } = view.current ?? {}
    if (state === undefined) return
    view.current?.dispatch(setDiagnostics(state, diagnosticsIn(state, fault, types)))
  }, [fault, types])
  // The keys of the page are not meant while somebody writes.
  return <div ref={host} className="write-editor" onKeyDown={(event) => event.stopPropagation()} />
}

/** A text begins with what its paper says; the first handler is where somebody writes. */
function rulesIn(text: string): number {
  return Math.max(0, text.search(/^ {2}(?:request|elect)\(/m))
}

/** A text that cannot be read, or run, says that first: its types would only repeat it. */
function diagnosticsIn(
  state: EditorState,
  fault: EditorProps['fault'],
  types: EditorProps['types'],
): Diagnostic[] {
  if (fault?.place != null) return [diagnostic(state, fault.what, fault.place)]
  if (types === null || types.text !== state.doc.toString()) return []
  return types.faults.map(({ from, to, what }) => ({
    from,
    to,
    severity: 'error',
    message: what,
    source: 'types',
  }))
}

function diagnostic({ doc }: EditorState, message: string, { line, column }: Place): Diagnostic {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)))
  const at = Math.min(from + column - 1, to)
  return { from: at === to ? from : at, to, severity: 'error', message }
}

function extensions(isReadOnly: boolean, changed: { readonly current: (text: string) => void }): Extension[] {
  return [
    lineNumbers(),
    history(),
    bracketMatching(),
    indentOnInput(),
    indentUnit.of('  '),
    highlightActiveLine(),
    javascript({ typescript: true }),
    syntaxHighlighting(colours),
    theme,
    // Tab goes on to the next control, as everywhere on the page.
    keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    lintGutter(),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': 'The text of the algorithm', spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed.current(state.doc.toString())
    }),
  ]
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: 'var(--small)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'transparent', outline: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--fails)',
    backgroundColor: 'var(--fails-soft)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--hue-1)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--hue-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--hue-5)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--accent)' },
])
