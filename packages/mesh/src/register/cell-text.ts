/** A cell as text: one line with its version and the checksum of the rest, then its value. */
import { createHash } from 'node:crypto'
import type { Cell, Version } from './register.ts'

const HEAD = /^turnwise-cell 1 (\S+) ([0-9a-f]{16})$/

export function writeCell(version: Version, value: string): string {
  return `turnwise-cell 1 ${version} ${checksum(value)}\n${value}`
}

/** Null if it is damaged. A file is written before it is used, so only a crash of the machine damages one. */
export function parseCell(text: string): Cell | null {
  const end = text.indexOf('\n')
  const [, version = '', sum] = HEAD.exec(text.slice(0, Math.max(0, end))) ?? []
  const value = text.slice(end + 1)
  return version !== '' && sum === checksum(value) ? { value, version } : null
}

function checksum(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16)
}

/** A file name that is unique on every file system, even on one that ignores case. */
export function fileNameOf(name: string): string {
  return name.replaceAll(/[^a-z0-9-]/gu, (sign) => `_${Buffer.from(sign).toString('hex')}_`)
}

/** Null for a name that `fileNameOf` does not make. */
export function nameOfFile(file: string): string | null {
  const name = file.replaceAll(/_([0-9a-f]*)_/g, (_, hex: string) => Buffer.from(hex, 'hex').toString())
  return fileNameOf(name) === file ? name : null
}
