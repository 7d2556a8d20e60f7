import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Kernel } from '../src/kernel.ts'
import { namespaceFlags, whyNoNamespace } from '../src/namespace.ts'

const why = whyNoNamespace()

test.skipIf(why !== null)(
  `a dropped way carries nothing until it is mended, of a lossy one packets are sent again, a protected disk takes nothing${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const script = fileURLToPath(new URL('./in-namespace.ts', import.meta.url))
    const node = [process.execPath, '--import', 'tsx', '--conditions=turnwise-source', script]
    const { stdout } = await promisify(execFile)('unshare', [...namespaceFlags(), ...node])
    expect(JSON.parse(stdout)).toEqual({ whileDropped: 0, whileProtected: 'EROFS', afterwards: 'done' })
  },
)

const isAlone = Object.keys(networkInterfaces()).every((name) => name === 'lo')

test.skipIf(isAlone)('a network that others use is left alone', async () => {
  await expect(Kernel.open()).rejects.toThrow(/^--own-namespace: wants a network namespace of its own/)
})
