/**
 * A record in an address: compressed, and written in letters that an address can hold. Longer ones stay in the page: an
 * address of theirs asks for the file again.
 */
import type { Opened } from '../../run/opened.ts'

const LONGEST = 8000

/** More than this is not even tried: it does not compress to what an address can hold. */
const MOST_TRIED = 400_000

const held = new Map<string, readonly Blob[]>()
const opened = new Map<string, Opened>()

/** Runs whose states cannot be found again here: these words stand for them as long as the page is open. The last few are held. */
export function holdOpened(word: string, run: Opened): void {
  opened.set(word, run)
  for (const old of [...opened.keys()].slice(0, -MOST_OPENED)) opened.delete(old)
}

export function heldOpened(word: string): Opened | null {
  return opened.get(word) ?? null
}

const MOST_OPENED = 3

/** The word for these files in an address. */
export async function pack(files: readonly Blob[]): Promise<string> {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const packed =
    size > MOST_TRIED
      ? ''
      : await squeeze(JSON.stringify(await Promise.all(files.map((file) => file.text()))))
  if (packed !== '' && packed.length <= LONGEST) return `z${packed}`
  const name = `file${held.size + 1}`
  held.set(name, files)
  return name
}

/** The word for these texts in an address. */
export function packTexts(texts: readonly string[]): Promise<string> {
  return pack(texts.map((text) => new Blob([text])))
}

/** The files behind a word; null if they are not there. */
export async function unpack(word: string): Promise<readonly Blob[] | null> {
  const known = held.get(word)
  if (known !== undefined) return known
  if (!word.startsWith('z')) return null
  try {
    const texts: unknown = JSON.parse(await unsqueeze(word.slice(1)))
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return null
    return texts.map((text) => new Blob([text]))
  } catch {
    // An address that was cut off.
    return null
  }
}

async function squeeze(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

async function unsqueeze(word: string): Promise<string> {
  const letters = atob(word.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(stream).text()
}
