/** Audits of nodes, read from their files and gone through again. */
import { closeSync, createReadStream, openSync, type ReadStream, readSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { readAlgorithmText } from '@turnwise/algorithms/former-settings'
import { load } from '@turnwise/algorithms/texts'
import { InvalidInput } from '@turnwise/core/invalid-input'
import {
  AUDIT_FORMAT,
  AUDIT_VERSION,
  type AuditHead,
  type AuditLine,
  type Difference,
  Replay,
} from '@turnwise/mesh/protocol/audit'
import { type AuditFinding, AuditHistory } from '@turnwise/mesh/protocol/audit-history'
import { SERVE_OTHERS } from '@turnwise/mesh/protocol/serving'
import { reasonOf } from '../terminal/input.ts'

export interface AuditedFile {
  readonly path: string
  readonly head: AuditHead
  readonly events: number
  /** The line at which the file breaks off: its process was killed while it wrote. */
  readonly torn: number | null
  /** Where the effects of the node differ from the audit. Lines after it were not replayed. */
  readonly difference: (Difference & { readonly line: number }) | null
}

export interface Audited {
  readonly files: readonly AuditedFile[]
  readonly history: AuditHistory
  readonly findings: readonly AuditFinding[]
}

const NEW_LINE = 10

/** Whether a file has its first line. A process that is killed at once leaves an empty file, or one that breaks off in that line. */
export function hasBegun(path: string): boolean {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(65_536)
  try {
    for (;;) {
      const read = readSync(file, bytes)
      if (read === 0) return false
      if (bytes.subarray(0, read).includes(NEW_LINE)) return true
    }
  } finally {
    closeSync(file)
  }
}

/** `progress` is told how much of all files was read, from 0 to 1, and in which file that is. */
export async function auditFiles(
  paths: readonly string[],
  progress: (share: number, path: string) => void = () => {},
): Promise<Audited> {
  const history = new AuditHistory()
  const files: AuditedFile[] = []
  const sizes = paths.map(sizeOf)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  let before = 0
  for (const [i, path] of paths.entries()) {
    const file = await auditFile(path, history, (read) => progress((before + read) / all, path))
    const same = files.find(({ head }) => head.life === file.head.life && head.part === file.head.part)
    if (same !== undefined)
      throw new InvalidInput(`${same.path} and ${path} are the same audit: give it once`)
    files.push(file)
    before += sizes[i] ?? 0
  }
  return { files, history, findings: history.judge() }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    throw new InvalidInput(`cannot read "${path}": ${reasonOf(error)}`, { cause: error })
  }
}

async function auditFile(
  path: string,
  history: AuditHistory,
  progress: (read: number) => void,
): Promise<AuditedFile> {
  const stream = createReadStream(path, 'utf8')
  const lines = linesOf(path, stream)
  const first = await lines.next()
  const head = readHead(path, first.done === true ? '' : first.value)
  const replay = await replayOf(path, head)
  const ear = history.listen(head)
  let last = 0
  let events = 0
  const over = (torn: number | null, difference: AuditedFile['difference']) => {
    ear.end(last, replay.node.deadline)
    return { path, head, events, torn, difference }
  }
  for await (const text of lines) {
    const line = readLine(text)
    if (line === null) return over(events + 2, null)
    const step = replay.step(line)
    if ('what' in step) return over(null, { ...step, line: events + 2 })
    ear.hear(step)
    last = step.now
    events += 1
    if (events % 1000 === 0) progress(stream.bytesRead)
  }
  return over(null, null)
}

async function* linesOf(path: string, stream: ReadStream): AsyncGenerator<string, void> {
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  } catch (error) {
    throw new InvalidInput(`cannot read "${path}": ${reasonOf(error)}`, { cause: error })
  } finally {
    stream.destroy()
  }
}

function readHead(path: string, text: string): AuditHead {
  const head = parsed(text) as Partial<AuditHead> | null
  if (head?.format !== AUDIT_FORMAT)
    throw new InvalidInput(`${path}: expected an audit that a node wrote (join with audit: { file })`)
  if (head.version !== AUDIT_VERSION)
    throw new InvalidInput(
      `${path}: the audit has version ${head.version}; this turnwise reads ${AUDIT_VERSION}`,
    )
  return head as AuditHead
}

/** A line that was not written to its end. */
function readLine(text: string): AuditLine | null {
  const line = parsed(text)
  return Array.isArray(line) && line.length >= 3 ? (line as unknown as AuditLine) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function replayOf(path: string, head: AuditHead): Promise<Replay> {
  try {
    const replay = new Replay(head)
    await load([readAlgorithmText(replay.node.config.settings.algorithm).name, ...SERVE_OTHERS])
    return replay
  } catch (error) {
    throw new InvalidInput(`${path}: the state of the node cannot be read: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}
