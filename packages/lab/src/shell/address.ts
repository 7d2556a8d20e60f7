/**
 * The address of the page says all that it shows: `#/theatre?algorithm=maekawa&nodes=7`. It stands behind the `#`, so
 * that the page needs no server.
 */
export interface Address {
  /** The path of a room; empty for the first one. */
  readonly room: string
  readonly query: Query
}

/** What a room is told, and tells. A value that is undefined is left out. */
export type Query = Readonly<Record<string, string | undefined>>

export function readAddress(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { room: decodePart(path), query: Object.fromEntries(new URLSearchParams(search)) }
}

export function writeAddress({ room, query }: Address): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${encodePart(name)}=${encodePart(value)}`],
  )
  return `#/${encodeURIComponent(room)}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

/** An address that somebody typed may hold anything. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Signs that are plain in a fragment stay plain: addresses are read by people. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|2C|40|3E|2F|3B|20)/gi, (code) =>
    code === '%20' ? '+' : decodeURIComponent(code),
  )
}
