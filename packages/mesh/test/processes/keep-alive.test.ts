import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddress } from '@turnwise/fleet/ports'
import { Program } from '@turnwise/fleet/program'
import { expect, test } from 'vitest'
import { extent } from '../../../../test/extent.ts'
import { program } from '../../../../test/program.ts'

const script = await program(new URL('forgetful.ts', import.meta.url))

const PROGRAMS = [
  ['stays', 'a node with peers keeps its process alive until it leaves', 'done\nstill here\n', 3],
  ['ends', 'with keepAlive: false a program that forgets to leave ends', 'done\n', 0],
  ['asks', 'a program that has asked who holds and waits does not end before it knows', 'done\n', 0],
  ['leaves', 'a program that leaves ends', 'done\n', 0],
] as const

test.each(PROGRAMS.slice(0, extent(2, 4)))('%s: %s', { timeout: 60_000 }, async (how, _, said, code) => {
  // Those that end do so after a tick; on a busy machine that may take a while.
  const patience = how === 'stays' ? '500' : '20000'
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const addresses = await Promise.all([freeAddress(), freeAddress()])
  const { out, code: ended } = await new Program([script, how, patience, directory, ...addresses]).ended
  expect([out, ended]).toEqual([said, code])
})
