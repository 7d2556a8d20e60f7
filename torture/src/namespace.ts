/** A network and a mount namespace in which the torture can drop packets and make disks read-only. They end with it. */
import { spawnSync } from 'node:child_process'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'

/** A user who is not root is root in a user namespace, where the system allows it. */
export function namespaceFlags(): string[] {
  return [...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--net', '--mount']
}

/** All that the torture asks of the kernel, tried once. */
const TRIAL = [
  'ip link set lo up',
  'tc qdisc replace dev lo clsact',
  "tc filter replace dev lo egress pref 1 bpf direct-action bytecode '1,6 0 0 4294967295'",
  'mount --bind /tmp /tmp',
  'mount -o remount,bind,ro /tmp',
].join(' && ')

/** Null if there is one to be had. */
export function whyNoNamespace(): string | null {
  if (process.platform !== 'linux') return `${process.platform} has none`
  const { status, error, stderr } = spawnSync('unshare', [...namespaceFlags(), 'sh', '-c', TRIAL], {
    encoding: 'utf8',
  })
  if (status === 0) return null
  return error?.message ?? (stderr.trim().split('\n')[0] || `unshare ended with ${status}`)
}

/** Runs this program again in one, with these arguments: its exit code. */
export function runInNamespace(args: readonly string[]): Promise<number> {
  const line = [...namespaceFlags(), process.execPath, ...process.execArgv, get(process.argv, 1), ...args]
  const inner = new Program(line, { file: 'unshare', stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => inner.kill(name))
  return inner.code
}
