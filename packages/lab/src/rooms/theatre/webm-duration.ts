/**
 * Writes its duration into a WebM file. A browser that records does not know it when it writes the head, so players would show
 * none. The file is a tree of EBML elements (RFC 8794): an id, a size, and the contents. `Duration` belongs into `Info`
 * (RFC 9559, section 5.1.2), in units of a millisecond by default.
 */

const SEGMENT = 0x18538067
const INFO = 0x1549a966
const DURATION = 0x4489

interface Part {
  readonly id: number
  /** Where its contents begin and end; of unknown size, the end of the file. */
  readonly from: number
  readonly to: number
  /** Where its size is written. */
  readonly sizeAt: number
}

/** The file as it was, if it is not built as expected or has a duration already. */
export function withDuration(file: Uint8Array<ArrayBuffer>, milliseconds: number): Uint8Array<ArrayBuffer> {
  const segment = find(file, { from: 0, to: file.length }, SEGMENT)
  const info = segment === null ? null : find(file, segment, INFO)
  if (info === null || find(file, info, DURATION) !== null) return file
  const size = info.to - info.from + 11
  const head = new Uint8Array(8)
  // A size of eight bytes is allowed wherever a shorter one is.
  new DataView(head.buffer).setBigUint64(0, 0x01_00_00_00_00_00_00_00n | BigInt(size))
  const added = new Uint8Array([0x44, 0x89, 0x88, 0, 0, 0, 0, 0, 0, 0, 0])
  new DataView(added.buffer).setFloat64(3, milliseconds)
  const parts = [
    file.subarray(0, info.sizeAt),
    head,
    file.subarray(info.from, info.to),
    added,
    file.subarray(info.to),
  ]
  // A segment that says how long it is would be too short now.
  const isOpen = segment?.to === file.length
  return isOpen ? joined(parts) : file
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function find(file: Uint8Array, { from, to }: Pick<Part, 'from' | 'to'>, wanted: number): Part | null {
  for (let at = from; at < to; ) {
    const part = partAt(file, at)
    if (part === null) return null
    if (part.id === wanted) return part
    at = part.to
  }
  return null
}

/** The number of leading zeros of the first byte says how many bytes follow it. */
function partAt(file: Uint8Array, at: number): Part | null {
  const idLength = Math.clz32(file[at] ?? 0) - 23
  const sizeAt = at + idLength
  const sizeLength = Math.clz32(file[sizeAt] ?? 0) - 23
  const from = sizeAt + sizeLength
  if (idLength > 4 || sizeLength > 8 || from > file.length) return null
  let id = 0
  for (let i = at; i < sizeAt; i += 1) id = id * 256 + (file[i] ?? 0)
  let size = (file[sizeAt] ?? 0) & (0xff >> sizeLength)
  let isUnknown = size === 0xff >> sizeLength
  for (let i = sizeAt + 1; i < from; i += 1) {
    size = size * 256 + (file[i] ?? 0)
    isUnknown &&= file[i] === 0xff
  }
  return { id, sizeAt, from, to: isUnknown ? file.length : Math.min(file.length, from + size) }
}
