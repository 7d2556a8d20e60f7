/** The socket that shows that a process lives. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askWitness, witness } from '@turnwise/mesh/disk/witness'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'tw-'))
afterAll(() => rmSync(directory, { recursive: true }))

test.skipIf(process.platform === 'win32')(
  'closes, though a process that asked was stopped before it hung up',
  async () => {
    const path = join(directory, 'witness')
    const close = await witness(path)
    const stopped = connect({ path, allowHalfOpen: true })
    await once(stopped, 'connect')
    expect(await askWitness(path)).toBe('alive')
    await expect(
      Promise.race([close(), new Promise((late) => setTimeout(late, 5000, 'late'))]),
    ).resolves.toBe(undefined)
    stopped.destroy()
  },
)
