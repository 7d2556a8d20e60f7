/**
 * A disk that several machines can mount. A socket there refuses connections from all machines but its own, so a living process
 * of another machine would count as dead (witness.ts), and two would use what belongs to one.
 */

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
  // JuiceFS, GlusterFS, virtiofs and many others. The type does not tell them from those of one machine.
  [0x65735546, 'FUSE'],
])

/** What the system says about a disk. */
export interface DiskFacts {
  readonly platform: string
  statfs(path: string): Promise<{ readonly type: number }>
}

/** Null if the disk belongs to this machine, as far as the system says. Only Linux does. */
export async function whyShared(directory: string, facts: DiskFacts): Promise<string | null> {
  if (facts.platform !== 'linux') return null
  const { type } = await facts.statfs(directory)
  const name = SHARED.get(type >>> 0)
  return name === undefined ? null : `it is on ${name}, which other machines can mount too: use a local disk`
}
