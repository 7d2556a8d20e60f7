/** A text that reveals damage. Its first line has the kind of file, the format, and a checksum of the rest. */
import { createHash } from 'node:crypto'

export function writeChecked(mark: string, format: number, body: string): string {
  return `${mark} ${format} sha256:${checksum(body)}\n${body}`
}

/** The format and the rest, or an explanation of what is wrong. */
export function readChecked(
  mark: string,
  formats: readonly number[],
  content: string,
): { readonly format: number; readonly body: string } | string {
  const end = content.indexOf('\n')
  const [found, format, sum] = content.slice(0, Math.max(0, end)).split(' ')
  if (found !== mark)
    return content === '' ? 'it is empty' : 'it is not a state file of turnwise, or its beginning is lost'
  if (!/^\d+$/.test(format ?? '')) return 'its first line is damaged'
  if (!formats.includes(Number(format)))
    return `it has format ${format}, but this version reads formats up to ${Math.max(...formats)}`
  const body = content.slice(end + 1)
  if (sum !== `sha256:${checksum(body)}`) return 'its checksum is wrong: it is cut short or altered'
  return { format: Number(format), body }
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
