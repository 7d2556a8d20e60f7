import type { RoomProps } from '../rooms.ts'
import { Counterexample } from './counterexample.tsx'
import { OpenedFile } from './opened-file.tsx'
import Theatre from './theatre.tsx'

/** What is played: a run of the simulator, a run that the checker found, or one from a file. */
export default function Entrance(props: RoomProps) {
  const { query } = props
  if (query['of'] === 'check') return <Counterexample key={JSON.stringify({ ...query, at: '' })} {...props} />
  if (query['of'] === 'file') return <OpenedFile {...props} />
  return <Theatre {...props} />
}
