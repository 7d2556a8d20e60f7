/** A recording as it stands: the files of the nodes that record, which are still being written. */
import { readFile, stat } from 'node:fs/promises'
import { InvalidInput } from '@turnwise/core/invalid-input'

/** All parts together. A line has some hundred bytes, and the theatre shows 60,000 events. */
const MOST_BYTES = 6 * 2 ** 20

/** The parts so far: whole lines, for the last one may not be written yet. */
export async function readParts(files: readonly string[]): Promise<readonly string[]> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > MOST_BYTES) {
    const megabytes = (count: number) => Math.ceil(count / 2 ** 20)
    throw new InvalidInput(
      `the recording has ${megabytes(bytes)} MiB, and a page shows ${megabytes(MOST_BYTES)}: ` +
        `turnwise replay --from … ${files.join(' ')}`,
    )
  }
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return texts.map((text) => text.slice(0, text.lastIndexOf('\n') + 1)).filter((text) => text !== '')
}
