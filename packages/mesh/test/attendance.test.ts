import { expect, test } from 'vitest'
import { Attendance, type Attending } from '../src/host/attendance.ts'
import type { Event } from '../src/protocol/events.ts'
import { readAddress } from '../src/transport/sockets.ts'

/** A process that is dead when the kernel has been asked about it so often. */
function dyingAfter(questions: number): { attendance: Attendance; told: Event[]; asked: () => number } {
  let asked = 0
  const told: Event[] = []
  const isDead = async () => {
    asked += 1
    return asked > questions
  }
  const attending = { place: '', register: { isDead }, tidy: async () => {} } as unknown as Attending
  const host = { now: 0, dispatch: (event: Event) => told.push(event), fail: () => {} }
  return { attendance: new Attendance(attending, host), told, asked: () => asked }
}

const doubt = (isSudden: boolean) =>
  ({ kind: 'doubt', session: 's', life: 'process', address: '', isSudden }) as const

test('a process whose connection has ended is asked about until it is dead, also if it takes its time to die', async () => {
  const { attendance, told } = dyingAfter(7)
  attendance.do(doubt(true))
  await expect.poll(() => told).toEqual([{ kind: 'dead', session: 's' }])
})

test('so it is if it was asked about already when the connection ended', async () => {
  const { attendance, told } = dyingAfter(3)
  attendance.do(doubt(false))
  attendance.do(doubt(true))
  await expect.poll(() => told).toEqual([{ kind: 'dead', session: 's' }])
})

test('otherwise it is asked about once', async () => {
  const { attendance, told, asked } = dyingAfter(1)
  attendance.do(doubt(false))
  await new Promise((resolve) => setImmediate(resolve))
  attendance.do(doubt(false))
  await expect.poll(() => told).toEqual([{ kind: 'dead', session: 's' }])
  expect(asked()).toBe(2)
})

test('a further session begins when the register has answered', async () => {
  let questions = 0
  const told: Event[] = []
  const renew = () => {
    questions += 1
    return questions < 3 ? Promise.reject(new Error('away')) : Promise.resolve()
  }
  const attending = {
    place: '',
    patience: 5,
    renew,
    next: () => ({ id: 's2', address: 'here' }),
    readAddress: (host: string) => ({ host, port: 0 }),
    transport: { renew: () => Promise.resolve() },
  } as unknown as Attending
  const attendance = new Attendance(attending, {
    now: 0,
    dispatch: (event) => told.push(event),
    fail: () => {},
  })
  attendance.do({ kind: 'out', why: '' })
  await expect.poll(() => told).toEqual([{ kind: 'session', session: 's2', address: 'here' }])
  expect([questions, attendance.place.why]).toEqual([3, 'away'])
})

test('an address that somebody wrote into a row by hand is no address', () => {
  const known: string[][] = []
  const transport = { setPeers: (peers: ReadonlyMap<string, unknown>) => known.push([...peers.keys()]) }
  const attending = { place: '', register: {}, readAddress, transport } as unknown as Attending
  const attendance = new Attendance(attending, { now: 0, dispatch: () => {}, fail: () => {} })
  const addresses = { a: '127.0.0.1:7101', b: 'nowhere' }
  attendance.do({ kind: 'addresses', addresses, isWhole: true })
  attendance.do({ kind: 'addresses', addresses: { a: 'nowhere' }, isWhole: false })
  expect(known).toEqual([['a'], []])
})
