import * as turnwise from 'turnwise'
import * as connecting from 'turnwise/connect'
import * as guards from 'turnwise/guards'
import * as testing from 'turnwise/testing'
import { expect, test } from 'vitest'

/** Every name that can be called or read on it, of its prototypes too. */
function namesOf(value: object): string[] {
  const names: string[] = []
  for (let at = value; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at))
  }
  return names.filter((name) => name !== 'constructor').toSorted()
}

test('the library has what it promises, and nothing else', () => {
  expect(Object.keys(turnwise).toSorted()).toEqual([
    'DeadlockError',
    'HeldTooLongError',
    'InvalidInput',
    'LockLostError',
    'LockStolenError',
    'LockTimeoutError',
    'NoDaemonError',
    'NoQuorumError',
    'RunUnknownError',
    'connect',
    'join',
  ])
  expect(Object.keys(guards).toSorted()).toEqual([
    'FENCES_TABLE',
    'REDIS_WRITE',
    'StaleFenceError',
    'guardPostgres',
  ])
  expect(Object.keys(connecting)).toEqual(['connect'])
  expect(Object.keys(testing)).toEqual(['registerContract'])
})

test('a node shows its public members only, and they cannot be replaced', async () => {
  const mesh = await turnwise.join()
  try {
    expect(namesOf(mesh)).toEqual([
      'addPeer',
      'changeVoters',
      'election',
      'forget',
      'group',
      'id',
      'leave',
      'limit',
      'locks',
      'metrics',
      'once',
      'orderGenesis',
      'record',
      'recordings',
      'removePeer',
      'semaphore',
      'status',
    ])
    expect(Object.isFrozen(mesh)).toBe(true)
    expect(namesOf(mesh.locks)).toEqual(['acquire', 'query', 'request'])
    expect(namesOf(mesh.semaphore('places', 2))).toEqual(['acquire', 'name', 'permits', 'request'])
    expect(namesOf(mesh.group('stock', ['east', 'west']))).toEqual(['acquire', 'name', 'names', 'request'])
    expect(namesOf(mesh.election('leader'))).toEqual(['campaign', 'leader', 'name', 'observe'])
  } finally {
    await mesh.leave()
  }
})

test('a lock shows nothing of how it is kept', async () => {
  await using mesh = await turnwise.join()
  const held = await mesh.locks.acquire('invoices')
  expect(namesOf(held)).toEqual([
    'assertHeld',
    'downgrade',
    'fence',
    'isHeld',
    'mode',
    'name',
    'release',
    'signal',
    'upgrade',
  ])
  held.release()
  await mesh.locks.request('invoices', (lock) =>
    expect(namesOf(lock)).toEqual(['assertHeld', 'downgrade', 'fence', 'mode', 'name', 'signal', 'upgrade']),
  )
})
