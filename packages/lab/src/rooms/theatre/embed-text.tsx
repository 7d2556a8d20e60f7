import { useState } from 'react'
import { elementText, frameText } from './embed-words.ts'
import './take-away.css'

/** The texts with which a page of others shows this run. */
export default function EmbedText() {
  const page = window.location.href.replace(/[?#].*$/s, '')
  const { hash } = window.location
  return (
    <div className="take-away">
      <Copied label="A frame, for any page" text={frameText(page, hash)} />
      <Copied label="An element that scripts control" text={elementText(page, hash)} />
      <p className="hint">
        The frame shows the run as it stands here, at this moment. Other pages cannot show a page that{' '}
        <code>turnwise up</code> or <code>turnwise node</code> serves.
      </p>
    </div>
  )
}

function Copied({ label, text }: { label: string; text: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setIsCopied(true),
      // Then the visitor copies the text by hand.
      () => setIsCopied(false),
    )
  }
  return (
    <div className="copied">
      <label>
        <span>{label}</span>
        <textarea readOnly rows={3} value={text} onFocus={(event) => event.target.select()} />
      </label>
      <button type="button" onClick={copy} aria-label={`Copy: ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}
