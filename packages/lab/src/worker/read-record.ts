import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Trace, TraceReader } from '@turnwise/core/trace/trace'

/** How much of a record has been read, in bytes. */
export interface Read {
  readonly bytes: number
  readonly of: number
}

/** Reads files piece by piece: a large one is never there as one text. An error names the file, and what can be opened. */
export async function readRecords(files: readonly Blob[], told: (read: Read) => void): Promise<Trace[]> {
  const of = files.reduce((sum, { size }) => sum + size, 0)
  let bytes = 0
  const traces: Trace[] = []
  for (const file of files) {
    try {
      traces.push(
        await readRecord(file, (length) => {
          bytes += length
          told({ bytes, of })
        }),
      )
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      throw new InvalidInput(`${nameOf(file)}${error.message}. ${ALLOWED}`, { cause: error })
    }
  }
  return traces
}

const ALLOWED =
  'A trace is what turnwise simulate --trace and turnwise check --trace write, and what a mesh records'

function nameOf(file: Blob): string {
  return 'name' in file && typeof file.name === 'string' ? `"${file.name}": ` : ''
}

async function readRecord(file: Blob, told: (length: number) => void): Promise<Trace> {
  const reader = new TraceReader()
  const decoder = new TextDecoder()
  const pieces = file.stream().getReader()
  for (;;) {
    const { done, value } = await pieces.read()
    if (done) break
    reader.read(decoder.decode(value, { stream: true }))
    told(value.length)
  }
  reader.read(decoder.decode())
  return reader.end()
}
