/** What a command under a lock is told, at the client's side of the control socket. */
import { createServer } from 'node:net'
import { freeAddresses } from '@turnwise/fleet/ports'
import { VERSION } from '@turnwise/mesh/daemon/control-messages'
import { exclusive } from '@turnwise/mesh/daemon/wanted'
import { afterAll, expect, test } from 'vitest'
import { type Ending, holdThroughDaemon } from '../../src/agent/hold.ts'
import { holdAsMember } from '../../src/agent/member-hold.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

test('a daemon that leaves in the moment of the grant: the command is asked to end, and has a lease for it', async () => {
  const lease = 500
  const heard: string[] = []
  const path = place.path('socket')
  const daemon = createServer((socket) => {
    const say = (...answers: readonly object[]) =>
      socket.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''))
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        const { kind, ticket } = JSON.parse(line) as { readonly kind: string; readonly ticket: number }
        heard.push(kind)
        const left = 60_000
        const fences = [{ epoch: 1, counter: 1 }]
        if (kind === 'hello') say({ kind, version: VERSION, id: 'a', lease })
        else if (kind === 'beat') say({ kind, ticket, left })
        else if (kind === 'acquire')
          say(
            { kind: 'granted', ticket, fences, left, heard: ticket },
            { kind: 'end', message: 'node a is leaving' },
          )
      }
    })
    socket.on('end', () => socket.end())
  })
  await new Promise<void>((listens) => daemon.listen(path, listens))
  const hold = await holdThroughDaemon(path, exclusive('x'), new AbortController().signal)
  const ending = await new Promise<Ending>((tell) => hold.whenEnding(tell))
  expect(ending).toEqual({ kind: 'asked', reason: expect.stringContaining('node a is leaving') as string })
  expect(heard).not.toContain('release')
  // Only the end of the command releases the lock.
  await new Promise((later) => setTimeout(later, 2 * lease))
  expect(heard).not.toContain('release')
  expect(await hold.release()).toBe(true)
  await new Promise((closed) => daemon.close(closed))
})

test.each([
  ['before', 0],
  ['while', 500],
])('a member that is given up %s it joins, without a quorum, does not join for ever', async (when, after) => {
  const peers = await freeAddresses(['a', 'b', 'c'])
  const join = { id: 'a', peers, stateDir: place.path(`state-${when}`) }
  const given = after === 0 ? AbortSignal.abort() : AbortSignal.timeout(after)
  await expect(
    holdAsMember({ join, leaseMs: 2000, socket: null }, exclusive('x'), given, () => {}),
  ).rejects.toThrow('left')
})
