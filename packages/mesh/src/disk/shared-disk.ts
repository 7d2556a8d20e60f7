/**
 * A disk that several machines can mount. A socket there refuses connections from all machines but its own, so a living process
 * of another machine would count as dead (witness.ts), and two would use what belongs to one.
 */
import { readFile, stat, statfs } from 'node:fs/promises'

/** File systems that several machines can mount, by their type in statfs(2) on Linux. */
const SHARED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a folder of VirtualBox'],
  [0xbacbacbc, 'a folder of VMware'],
])

/** JuiceFS, GlusterFS, virtiofs and many others. */
const FUSE = 0x65735546
/** Behind FUSE: the root of a container without privileges, and disks with a foreign format. Both belong to one machine. */
const LOCAL_BEHIND_FUSE = ['fuse.fuse-overlayfs', 'fuseblk']

/** What the system says about a disk. */
export interface DiskFacts {
  readonly platform: string
  statfs(path: string): Promise<{ readonly type: number }>
  /** The kind of file system as mount(8) names it; undefined if it is not listed. */
  mountKind(path: string): Promise<string | undefined>
}

export const diskFacts: DiskFacts = { platform: process.platform, statfs, mountKind }

/** As /proc/self/mountinfo tells by the number of the device. */
async function mountKind(path: string): Promise<string | undefined> {
  const { dev } = await stat(path, { bigint: true })
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn & 0xffffffffn)
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  const own = lines.find((line) => line.split(' ')[2] === `${major}:${minor}`)
  return own?.split(' - ')[1]?.split(' ')[0]
}

/** Null if the disk belongs to this machine, as far as the system says. Only Linux does. */
export async function whyShared(directory: string, facts: DiskFacts): Promise<string | null> {
  if (facts.platform !== 'linux') return null
  const { type } = await facts.statfs(directory)
  const name = type >>> 0 === FUSE ? await sharedBehindFuse(directory, facts) : SHARED.get(type >>> 0)
  return name === undefined ? null : `it is on ${name}, which other machines can mount too: use a local disk`
}

/** What the type of FUSE does not tell, the name of its kind may. */
async function sharedBehindFuse(directory: string, facts: DiskFacts): Promise<string | undefined> {
  const kind = await facts.mountKind(directory)
  if (kind === undefined) return 'FUSE'
  return LOCAL_BEHIND_FUSE.includes(kind) ? undefined : kind
}
