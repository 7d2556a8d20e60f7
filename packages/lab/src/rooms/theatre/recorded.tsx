import type { ReactNode } from 'react'
import type { RoomProps } from '../rooms.ts'
import { Playing } from './playing.tsx'
import { usePlayback } from './use-playback.ts'
import type { Run } from './use-run.ts'

/** A run that was recorded: all can be seen, nothing can be changed. It opens at its end unless the address says where. */
export function Recorded({ run, about, query, go }: RoomProps & { run: Run; about: ReactNode }) {
  const asked = query['at']
  const last = run.recording.happenings.length
  const start = asked === undefined || !/^\d+$/.test(asked) ? last : Math.min(last, Number(asked))
  const playback = usePlayback(run.recording, start)
  const share = () => {
    go({ ...query, at: String(playback.cursor.position) }, 'replace')
    void navigator.clipboard?.writeText(window.location.href).catch(() => {
      // Without leave to write there the address is still in the bar.
    })
  }
  return (
    <main className="theatre">
      <div className="settings-row recorded">
        <div className="recorded-about">{about}</div>
        <a href="#/theatre">Back to the theatre</a>
        <button type="button" className="share" onClick={share}>
          Share
        </button>
      </div>
      <Playing
        run={run}
        playback={playback}
        share={share}
        branches={null}
        nextBranch={() => {}}
        onAct={null}
      />
    </main>
  )
}
