/** `once` of a client of a daemon: what becomes of the job if the client ends, and what the daemon does not believe. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { WantedJob } from '../../src/daemon/control-messages.ts'
import { Client } from '../../src/daemon/line-client.ts'
import { Visitor } from '../../src/daemon/visitor.ts'
import { exclusive } from '../../src/daemon/wanted.ts'
import { joinNode } from '../../src/join.ts'
import { LockLostError } from '../../src/locks/errors.ts'
import { type Desk, openDesk, openWay, visit } from '../daemon/desks.ts'

/** Of minutes: nothing is to lapse. */
const LEASE = 300_000
let desk: Desk

beforeAll(async () => {
  desk = await openDesk(await joinNode({ lease: LEASE }), LEASE)
})

afterAll(async () => {
  await desk.close()
  await desk.node.leave()
})

test.each(['most', 'least'] as const)('a client is cut off while its job runs, at %s once', async (at) => {
  const way = await openWay(desk)
  const client = new Visitor(await Client.open(way.path))
  const time = Date.now()
  let begin: (signal: AbortSignal) => void = () => {}
  const begun = new Promise<AbortSignal>((resolve) => {
    begin = resolve
  })
  const running = client.once(at, time, { at }, ({ signal }: { signal: AbortSignal }) => {
    begin(signal)
    return new Promise(() => {})
  })
  const cut = expect(running).rejects.toThrow(LockLostError)
  const signal = await begun
  await way.close()
  await cut
  expect(signal.aborted).toBe(true)
  const other = await visit(desk)
  const next = await other.once(at, time, { at }, () => 'again')
  if (at === 'most')
    expect(next).toEqual({ ran: false, by: desk.node.id, at: expect.any(Date), finished: false })
  else expect(next).toEqual({ ran: true, value: 'again', remembered: true })
  await other.leave()
})

test('a client that is cut off before its job begins does not begin it', async () => {
  const way = await openWay(desk)
  const line = await Client.open(way.path)
  const client = new Visitor(line)
  const ask = line.ask.bind(line)
  vi.spyOn(line, 'ask').mockImplementation((kind, question) => {
    way.holdUp()
    const answer = ask(kind, question)
    void way.close()
    return answer
  })
  const job = vi.fn(() => {})
  const cut = await client.once('cut off', Date.now(), { at: 'least' }, job).catch((error: unknown) => error)
  expect(cut).toBeInstanceOf(LockLostError)
  // The caller has heard that nothing ran here, and may fire again.
  await client.leave()
  expect(job).not.toHaveBeenCalled()
})

function jobOf(name: string): WantedJob {
  const { timeout, priority, waitForQuorum, info, holders } = exclusive('')
  return { name, timeout, priority, waitForQuorum, info, holders }
}

test('what no client sends is refused', async () => {
  const line = await Client.open(desk.path)
  const lock = await line.ask('acquire', exclusive('plain'))
  const job = await line.ask('acquire-job', jobOf('job'))
  const time = Date.now()
  const why = async (
    kind: 'look-up' | 'note' | 'confirm',
    { ticket }: { ticket: number },
    fired = time,
    skew = 0,
  ) => {
    const words = {
      'look-up': { hold: ticket, time: fired, skew },
      note: { hold: ticket, at: time, isDone: true, since: 0 },
      confirm: { hold: ticket },
    }
    const answer = await line.ask(kind, words[kind])
    return answer.kind === 'refused' ? answer.message : answer.kind
  }
  expect(await why('look-up', lock)).toBe('"plain" is not the lock of a job')
  expect(await why('look-up', { ticket: 77 })).toBe('nothing is held under ticket 77')
  expect(await why('note', job)).toBe('no fire time of "-once/job" was looked up')
  expect(await why('confirm', lock)).toBe('no fire time of "plain" was looked up')
  expect(await why('look-up', job, time + 60_000)).toMatch(
    /^fire time \d+ is \d+ ms ahead of the daemon's clock: 0 ms are allowed$/,
  )
  expect(await why('look-up', job, time, 3_600_001)).toBe('a skew of 3600001 ms is more than 3600000 ms')
  expect(await why('look-up', job)).toBe('found')
  expect(await why('look-up', job)).toBe('a fire time of "-once/job" was looked up already')
  expect(await why('note', job)).toBe('noted')
  const reserved = await line.ask('acquire-job', jobOf('-x'))
  expect(reserved).toMatchObject({ message: 'the name "-x" begins with "-": such names are reserved' })
  line.close()
  const { ran } = await desk.node.once('job', time, () => {})
  expect(ran).toBe(false)
})
