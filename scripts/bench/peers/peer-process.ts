/** One client of a lock server in a process of its own, which takes turns when it is told to. */
import { answerBy } from '@turnwise/fleet/program-answers'
import { spentWithin } from '../processor.ts'
import { type Command, now, type Span, type Turns } from '../talk.ts'
import { openLock, type PeerLock } from './locks.ts'

let lock: PeerLock | null = null

async function takeTurns(span: Span): Promise<Turns> {
  if (lock === null) throw new Error('it is not connected')
  const spent = spentWithin(span)
  const times: number[] = []
  const waits: number[] = []
  for (;;) {
    const asked = now()
    await lock.acquire()
    const at = now()
    await lock.release()
    if (at >= span.until) break
    if (at < span.from) continue
    times.push(at)
    waits.push(at - asked)
  }
  return { fences: times, waits, turns: times.length, ...(await spent), sent: 0, writes: 0 }
}

answerBy(async (command: Command) => {
  switch (command.do) {
    case 'open':
      lock = await openLock(command.peer, command.folder, command.port)
      return
    case 'turns':
      return takeTurns(command.span)
  }
})
