import { readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import type { NameOverview, NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { LEASE, Trio, Workplace } from './processes.ts'

interface Locks {
  readonly names: readonly NameOverview[]
}

/** Holds until a line comes on standard input, which is the command's own. */
const HOLD = 'echo in $TURNWISE_LOCK $TURNWISE_FENCE; read line; echo out'

const place = new Workplace()
let trio: Trio

beforeAll(async () => {
  trio = await Trio.start(place)
})
afterAll(() => place.clear())

describe('locks of three daemons', () => {
  test('one command at a time, on whatever node, with fences that rise', async () => {
    const log = place.path('log')
    const script = `echo in $TURNWISE_FENCE >> ${log}; sleep 0.05; echo out $TURNWISE_FENCE >> ${log}`
    const all = ['a', 'b', 'c', 'a', 'b', 'c'].map((id) => trio.lock(id, 'log', script))
    expect(await Promise.all(all.map(({ code }) => code))).toEqual([0, 0, 0, 0, 0, 0])
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    const fences = lines.filter((line) => line.startsWith('in')).map((line) => BigInt(line.slice(3)))
    expect(lines).toEqual(fences.flatMap((fence) => [`in ${fence}`, `out ${fence}`]))
    expect(fences).toHaveLength(6)
    for (const [i, fence] of fences.slice(1).entries()) expect(fence).toBeGreaterThan(get(fences, i))
  })

  test('--watch looks again and again, a line for each look where no terminal is', LONG, async () => {
    const watching = place.start('locks', '--watch', '100ms', '--json', '--socket', trio.socket('c'))
    const free = await watching.says(/^\{"names":\[\],"more":0,"circles":\[\]\}$/m)
    const holder = trio.lock('a', 'watched', HOLD)
    const [, fence] = await holder.says(/in watched (\d+)/)
    const held = await watching.says(new RegExp(`"name":"watched".*"fence":"${fence}"`))
    expect(held.index).toBeGreaterThan(free.index)
    holder.tell('go\n')
    watching.kill('SIGINT')
    expect(await watching.code).toBe(130)
    expect(watching.err).toBe('')
    await holder.code
  })

  test('--info is shown beside who holds and who waits, and no terminal obeys it', async () => {
    const holder = trio.lock('a', 'told', HOLD, '--info', '{ "job": 4711 }')
    await holder.says(/in told/)
    const waiter = trio.lock('b', 'told', HOLD, '--info', 'a text \u001b[2J\u202e')
    const { names } = await trio.until<Locks>('locks', 'c', ({ names: [told] }) => told?.waiters.length === 1)
    expect(names[0]?.holders[0]?.info).toBe('{"job":4711}')
    expect(names[0]?.waiters[0]?.info).toBe(JSON.stringify('a text \u001b[2J\u202e'))
    const { out } = await place.run('locks', '--socket', trio.socket('c'))
    expect(out).toMatch(/fence +info\n/)
    expect(out).toContain('{"job":4711}')
    expect(out).toContain('"a text \\u001b[2J')
    expect(out).not.toContain('\u001b')
    expect(out).not.toContain('\u202e')
    for (const command of [holder, waiter]) {
      await command.says(/in told/)
      command.tell('go\n')
      expect(await command.code).toBe(0)
    }
  })

  test('who holds and who waits is told by any of them', async () => {
    const holder = trio.lock('a', 'jobs', HOLD)
    const [, fence] = await holder.says(/in jobs (\d+)/)
    const waiter = trio.lock('b', 'jobs', HOLD)
    const { names } = await trio.until<Locks>(
      'locks',
      'c',
      ({ names: [jobs] }) => jobs?.waiters[0]?.ahead === 0,
    )
    expect(names).toEqual([
      {
        name: 'jobs',
        kind: 'lock',
        holders: [{ node: 'a', mode: 'exclusive', age: expect.any(Number), fence, info: null }],
        waiters: [{ node: 'b', mode: 'exclusive', age: expect.any(Number), info: null, ahead: 0 }],
      },
    ])
    expect(names[0]?.holders[0]?.age).toBeGreaterThan(get(get(names, 0).waiters, 0).age)
    const { out } = await place.run('locks', '--config', trio.config('c'))
    const rows = out
      .trimEnd()
      .split('\n')
      .map((row) => row.trim().split(/ {2,}/))
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ['name', 'node', 'mode', 'for'],
      ['jobs', 'holds', 'a', 'exclusive'],
      ['waits', 'b', 'exclusive', expect.any(String)],
    ])
    holder.tell('go\n')
    expect(await holder.code).toBe(0)
    await waiter.says(/in jobs/)
    waiter.tell('go\n')
    expect(await waiter.code).toBe(0)
    expect(waiter.out).toMatch(/^in jobs \d+\nout\n$/)
    expect((await place.run('locks', '--socket', trio.socket('a'))).out).toBe(
      'nobody holds anything, nobody waits\n',
    )
  })

  test('those who share are inside together, and a writer waits for both', LONG, async () => {
    const readers = ['a', 'b'].map((id) => trio.lock(id, 'book', HOLD, '--shared'))
    await Promise.all(readers.map((reader) => reader.says(/in book/)))
    const writer = trio.lock('c', 'book', HOLD)
    await trio.until<Locks>('locks', 'a', ({ names }) => names[0]?.waiters.length === 1)
    expect(writer.out).toBe('')
    for (const reader of readers) reader.tell('go\n')
    await writer.says(/in book/)
    expect(await Promise.all(readers.map(({ code }) => code))).toEqual([0, 0])
    writer.tell('go\n')
    expect(await writer.code).toBe(0)
  })

  test('a status for people, and one for programs', async () => {
    const status = await trio.json<NodeStatus>('status', 'b')
    expect(status).toMatchObject({
      id: 'b',
      joined: true,
      members: ['a', 'b', 'c'],
      missing: [],
      trouble: [],
      lease: LEASE,
    })
    expect(status.leaseLeft).toBeGreaterThan(0)
    const { code, out } = await place.run('status', '--config', trio.config('b'))
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^node b, up for .*\\nview \\d+; lease \\d+ of ${LEASE} ms left\\n`))
    expect(out).toMatch(/^b \(this\) +member +voter +there$/m)
  })
})

describe('beside locks', () => {
  test('names of a group: those with different names run together', async () => {
    const script = `echo in $TURNWISE_NAMES; ${HOLD}`
    const take = (id: string, names: string, ...more: readonly string[]) =>
      trio.lock(id, 'stock', script, '--of', 'west, east,north', '--take', names, ...more)
    const inside = [take('a', 'west,east'), take('b', 'north')]
    await get(inside, 0).says(/in east,west\nin stock \d+/)
    await get(inside, 1).says(/in north/)
    const next = take('c', 'north,west')
    const isWaiting = ({ names: [stock] }: Locks) => stock?.waiters.length === 1
    const { names } = await trio.until<Locks>('locks', 'a', isWaiting)
    expect(names[0]?.waiters[0]?.names).toEqual(['north', 'west'])
    const late = take('b', 'east', '--timeout', '1ms')
    expect([await late.code, late.err]).toEqual([75, 'turnwise: timed out after 1 ms waiting for "stock"\n'])
    get(inside, 1).tell('go\n')
    get(inside, 0).tell('go\n')
    await next.says(/in north,west/)
    next.tell('go\n')
    expect(await Promise.all([...inside, next].map(({ code }) => code))).toEqual([0, 0, 0])
  })

  test('a semaphore lets so many in, and no more', LONG, async () => {
    const inside = ['a', 'b'].map((id) => trio.lock(id, 'pool', HOLD, '--permits', '2'))
    await Promise.all(inside.map((each) => each.says(/in pool \d+/)))
    const hasty = trio.lock('c', 'pool', 'echo never', '--permits', '2', '--no-wait')
    expect([await hasty.code, hasty.out]).toEqual([75, ''])
    expect(hasty.err).toBe('turnwise: "pool" is taken: all permits are held or waited for\n')
    const third = trio.lock('c', 'pool', HOLD, '--permits', '2')
    await trio.until<Locks>('locks', 'a', ({ names: [pool] }) => pool?.waiters.length === 1)
    expect(third.out).toBe('')
    get(inside, 0).tell('go\n')
    await third.says(/in pool/)
    get(inside, 1).tell('go\n')
    third.tell('go\n')
    expect(await Promise.all([...inside, third].map(({ code }) => code))).toEqual([0, 0, 0])
  })

  test('one leads, and when its daemon is gone another does', LONG, async () => {
    const lead = (id: string) =>
      place.start('lead', 'scheduler', '--socket', trio.socket(id), '--', 'sh', '-c', HOLD)
    const first = lead('a')
    const fence = get(await first.says(/in scheduler (\d+)/), 1)
    const hasty = await place.run(
      'lead',
      'scheduler',
      '--no-wait',
      '--socket',
      trio.socket('b'),
      '--',
      'true',
    )
    expect(hasty).toMatchObject({
      code: 75,
      err: 'turnwise: "scheduler" is taken: somebody leads or campaigns\n',
    })
    const second = lead('b')
    const { names } = await trio.until<Locks>('locks', 'c', ({ names: [one] }) => one?.waiters.length === 1)
    expect(names).toMatchObject([{ name: 'scheduler', kind: 'election', holders: [{ node: 'a', fence }] }])
    trio.daemon('a').kill('SIGKILL')
    const later = get(await second.says(/in scheduler (\d+)/), 1)
    expect(BigInt(later)).toBeGreaterThan(BigInt(fence))
    expect(await first.code).toBe(76)
    second.tell('go\n')
    expect(await second.code).toBe(0)
    await trio.startDaemon('a').says(/"joined"/)
  })
})

describe('exit codes', () => {
  const through = (script: string, ...options: string[]) => trio.lock('a', 'exit', script, ...options)

  test.each([
    ['exit 7', 7],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
  ])('of the command: %s', async (script, code) => {
    expect(await through(script).code).toBe(code)
  })

  test('127 and 126 for what cannot be run, before the lock is asked for', LONG, async () => {
    const run = (command: string) => place.run('lock', 'x', '--socket', '/nowhere', '--', command)
    expect(await run('no-such-thing')).toEqual({
      code: 127,
      out: '',
      err: 'turnwise: "no-such-thing" cannot be run: not found\n',
    })
    const file = place.write('no-program', {})
    expect(await run(file)).toMatchObject({
      code: 126,
      err: expect.stringContaining('not executable\n'),
    })
  })

  test('75 after the time to wait, and the command does not run', LONG, async () => {
    const holder = through(HOLD)
    await holder.says(/in exit/)
    const late = trio.lock('b', 'exit', 'echo never', '--timeout', '300ms')
    expect(await late.code).toBe(75)
    expect([late.out, late.err]).toEqual(['', 'turnwise: timed out after 300 ms waiting for "exit"\n'])
    const patient = trio.lock('b', 'exit', 'echo never')
    await trio.until<Locks>('locks', 'b', ({ names }) => names[0]?.waiters.length === 1)
    patient.kill('SIGTERM')
    expect([await patient.code, patient.out]).toEqual([143, ''])
    await trio.until<Locks>('locks', 'b', ({ names }) => names[0]?.waiters.length === 0)
    holder.tell('go\n')
    expect(await holder.code).toBe(0)
  })

  test('75 at once if it is held, never if it is free: --no-wait, and --timeout 0, which is the same', async () => {
    const holder = through(HOLD)
    await holder.says(/in exit/)
    const ways = { a: ['--no-wait'], b: ['--timeout', '0'], c: ['--timeout', '0s'] }
    for (const [id, options] of Object.entries(ways)) {
      const other = trio.lock(id, 'exit', 'echo never', ...options)
      expect([await other.code, other.out]).toEqual([75, ''])
      expect(other.err).toBe('turnwise: "exit" is taken: somebody holds it or waits for it\n')
    }
    holder.tell('go\n')
    expect(await holder.code).toBe(0)
    for (const [id, options] of Object.entries(ways)) {
      expect(await trio.lock(id, 'exit', 'true', ...options).code).toBe(0)
    }
    const together = Object.keys(ways).map((id) => trio.lock(id, 'exit', 'true', '--no-wait').code)
    const codes = await Promise.all(together)
    expect(codes).toContain(0)
    expect(codes.filter((code) => code !== 0 && code !== 75)).toEqual([])
  })

  test('76 for whom it is stolen from, and the thief is inside', async () => {
    const holder = through(HOLD)
    await holder.says(/in exit/)
    const thief = trio.lock('b', 'exit', 'echo stolen', '--steal')
    expect([await thief.code, thief.out]).toEqual([0, 'stolen\n'])
    expect(await holder.code).toBe(76)
    expect(holder.err).toContain('"exit" was lost and the command was ended: ')
  })

  test('75 where no daemon is', async () => {
    const { code, err } = await place.run('lock', 'x', '--socket', place.path('none'), '--', 'true')
    expect([code, err]).toEqual([
      75,
      `turnwise: no daemon can be reached at ${place.path('none')}: no process listens there\n`,
    ])
  })

  test("signals are the command's, and what it leaves behind in its group ends before the release", async () => {
    const script = `trap 'echo heard; exit 5' USR2; sleep 1000 & echo child $! ; echo ready; while :; do wait; done`
    const program = through(script)
    const [, child] = await program.says(/child (\d+)\n/)
    await program.says(/ready/)
    program.kill('SIGUSR2')
    expect(await program.code).toBe(5)
    expect(program.out).toContain('heard')
    expect(isRunning(Number(child))).toBe(false)
  })
})

describe('when something is killed', () => {
  /** Cannot be asked to end. */
  const STUBBORN = `trap '' TERM; echo pid $$ fence $TURNWISE_FENCE; while :; do sleep 0.1; done`
  /** The state of a process, as the system tells it: the dead whom nobody has buried yet do not run. */
  const look = (pid: string) =>
    `state=$(sed 's/.*) \\(.\\).*/\\1/' /proc/${pid}/stat 2>/dev/null) || state=gone
    echo state $state fence $TURNWISE_FENCE`
  const ENDED = /state (?:gone|Z|X) fence (\d+)/

  test('turnwise lock, by SIGKILL: its command has ended before another is let in', async () => {
    const first = trio.lock('a', 'killed', STUBBORN)
    const [, pid = '', fence = ''] = await first.says(/pid (\d+) fence (\d+)/)
    const second = trio.lock('b', 'killed', look(pid))
    await trio.until<Locks>('locks', 'c', ({ names }) => names[0]?.waiters.length === 1)
    first.kill('SIGKILL')
    expect(BigInt(get(await second.says(ENDED), 1))).toBeGreaterThan(BigInt(fence))
    expect(await second.code).toBe(0)
  })

  test(
    'its daemon, and started again at once: the command has ended before another is let in',
    LONG,
    async () => {
      const first = trio.lock('a', 'orphaned', STUBBORN)
      const [, pid = '', fence = ''] = await first.says(/pid (\d+) fence (\d+)/)
      const second = trio.lock('b', 'orphaned', look(pid))
      await trio.until<Locks>('locks', 'c', ({ names }) => names[0]?.waiters.length === 1)
      trio.daemon('a').kill('SIGKILL')
      await trio.daemon('a').code
      const again = trio.startDaemon('a')
      expect(BigInt(get(await second.says(ENDED), 1))).toBeGreaterThan(BigInt(fence))
      expect(await first.code).toBe(76)
      expect(first.err).toContain('turnwise: "orphaned" was lost and the command was ended: ')
      await again.says(/the daemon before this one was killed/)
      await again.says(/"joined"/)
    },
  )

  test(
    'the others are stopped: the command ends before the lease does, though it ignores TERM',
    LONG,
    async () => {
      const first = trio.lock('a', 'lonely', STUBBORN)
      const [, pid] = await first.says(/pid (\d+) fence/)
      trio.daemon('b').kill('SIGSTOP')
      trio.daemon('c').kill('SIGSTOP')
      expect(await first.code).toBe(76)
      expect(isRunning(Number(pid))).toBe(false)
      // Counted back from the end of the lease; who hears of the loss itself gives another reason.
      expect(first.err).toContain('its lease was not renewed in time')
      // What is left of its lease would do for a lock that nobody else has asked for.
      await trio.until<NodeStatus>('status', 'a', ({ leaseLeft }) => leaseLeft <= 0)
      const none = trio.lock('a', 'lonely', 'echo never', '--timeout', '4s')
      expect([await none.code, none.out]).toEqual([75, ''])
      trio.daemon('b').kill('SIGCONT')
      trio.daemon('c').kill('SIGCONT')
      expect(await trio.lock('b', 'lonely', 'true').code).toBe(0)
    },
  )

  test(
    'its daemon by SIGTERM: it leaves when the command has ended, and the node is free for --config',
    LONG,
    async () => {
      const holder = trio.lock(
        'c',
        'leaving',
        `trap 'echo asked; exit 3' TERM; echo in; while :; do sleep 0.1; done`,
      )
      await holder.says(/in\n/)
      trio.daemon('c').kill('SIGTERM')
      expect(await trio.daemon('c').code).toBe(0)
      expect(await holder.code).toBe(76)
      expect(holder.out).toBe('in\nasked\n')
      expect(trio.daemon('c').err).toMatch(
        /"reason":"SIGTERM","holding":1,"event":"leaving"}\n.*"event":"left"}\n$/s,
      )
      const member = await place.run(
        'lock',
        'leaving',
        '--config',
        trio.config('c'),
        '--timeout',
        '20s',
        '--',
        'sh',
        '-c',
        'exit 4',
      )
      expect(member.code).toBe(4)
    },
  )
})

function isRunning(pid: number): boolean {
  try {
    // The dead whom nobody has buried yet do not run.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
