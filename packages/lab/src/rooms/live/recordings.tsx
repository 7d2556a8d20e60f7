import { useState } from 'react'
import { writeAddress } from '../../shell/address.ts'
import { packTexts } from '../theatre/packed.ts'
import { recordingSoFar } from './use-live.ts'

/** The current recordings, which the theatre can open at any time. */
export function Recordings({ names }: { names: readonly string[] }) {
  const [complaint, setComplaint] = useState<string | null>(null)
  const open = async (name: string) => {
    try {
      const trace = await packTexts(await recordingSoFar(name))
      window.location.hash = writeAddress({ room: 'theatre', query: { trace } })
    } catch (error) {
      setComplaint(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <section aria-label="Recordings">
      <h2>Recordings</h2>
      {names.length === 0 ? (
        <p className="hint">
          Nothing is recorded. <code>turnwise up --record DIRECTORY</code>, or <code>record</code> in the file
          of a node, records what happens. You can then open it here, and step through it in the theatre.
        </p>
      ) : (
        <p className="live-deeds">
          {names.map((name) => (
            <button key={name} type="button" onClick={() => void open(name)}>
              Open {name} in the theatre
            </button>
          ))}
        </p>
      )}
      {complaint !== null && (
        <p role="alert" className="complaint">
          {complaint}
        </p>
      )}
    </section>
  )
}
