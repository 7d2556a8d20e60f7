/** A job that one of all processes runs for each fire time, although the timers of all of them fire. */

import { onceKey } from '../protocol/names.ts'
import { MOST_SKEW } from '../protocol/runs.ts'
import { shown } from '../transport/checks.ts'
import { RunUnknownError } from './errors.ts'
import type { Held } from './held.ts'
import { type Backing, obtain } from './obtain.ts'
import { type LockOptions, readWish, requireKnown } from './options.ts'
import type { Book, Entry } from './run-memory.ts'
import { whileHeld } from './while-held.ts'

/** The options of `once`. */
export interface OnceOptions
  extends Pick<
    LockOptions,
    'signal' | 'timeout' | 'maxHold' | 'priority' | 'waitForQuorum' | 'onWait' | 'info'
  > {
  /**
   * What happens if the process dies while the job runs. `most`: the job is not run again for this fire time. `least`: the next
   * process that fires runs it again. Default `most`.
   */
  readonly at?: 'most' | 'least'
  /**
   * Milliseconds by which clocks of processes may differ. Fire times this close to each other count as the same. Default 5000.
   */
  readonly skew?: number
  /** Milliseconds for which a run is remembered, up to the last 256 of a name. Default a day. */
  readonly remember?: number
}

/** The argument of the job. */
export interface OnceRun {
  /** The fire time that it runs for. */
  readonly time: Date
  /** Rises from run to run of this name. Pass it to the resource, which refuses lower ones. */
  readonly fence: bigint
  /** Aborts when this process was silent for so long that others may go on without it. */
  readonly signal: AbortSignal
}

/** Whether the job ran here. */
export type OnceResult<Value> =
  | {
      /** It ran here. */
      readonly ran: true
      /** What the job returned. */
      readonly value: Value
      /** False if the run could not be remembered, with `least`. Then the next process that fires runs it again. */
      readonly remembered: boolean
    }
  | {
      /** It ran elsewhere, or here before. */
      readonly ran: false
      /** The node that ran it. */
      readonly by: string
      /** When, by the clock of that node. */
      readonly at: Date
      /** Whether the job returned. If not, it threw, or its process was killed or cut off before it could report. */
      readonly finished: boolean
    }

/** The job to run. */
export type OnceJob<Value> = (run: OnceRun) => Value | PromiseLike<Value>

const KNOWN: readonly (keyof OnceOptions)[] = [
  'at',
  'skew',
  'remember',
  'signal',
  'timeout',
  'maxHold',
  'priority',
  'waitForQuorum',
  'onWait',
  'info',
]

const SKEW = 5000
const DAY = 86_400_000
const MOST_DAYS = 366

/** As read: nothing is missing. */
interface Fire {
  readonly name: string
  readonly time: number
  readonly at: 'most' | 'least'
  readonly skew: number
  readonly remember: number
  readonly by: string
}

/** `given`: a name, a fire time, options if any, and the job. */
export async function once(
  backing: Backing & { readonly id: string },
  bookOf: () => Promise<Book>,
  given: readonly unknown[],
): Promise<OnceResult<unknown>> {
  const [name, fireTime, options, job] = given.length > 3 ? given : [given[0], given[1], undefined, given[2]]
  if (typeof job !== 'function')
    throw new TypeError(`once: expected a function as the job, got ${shown(job)}`)
  requireKnown(options, KNOWN, 'once')
  const wish = readWish(name, options, () => backing.assertOpen())
  const fire = { ...readFire(fireTime, options ?? {}), name: wish.name, by: backing.id }
  const book = await bookOf()
  const key = onceKey(wish.name)
  // Null only comes with `ifAvailable`.
  const held = (await obtain(backing, key, {
    ...wish,
    mode: 'exclusive',
    steal: false,
    ifAvailable: false,
  })) as Held
  const result = whileHeld([held], () => runIfNew(fire, book, held, job as OnceJob<unknown>))
  return (await result) as OnceResult<unknown>
}

function readFire(
  fireTime: unknown,
  { at = 'most', skew, remember }: OnceOptions,
): Omit<Fire, 'name' | 'by'> {
  const time = fireTime instanceof Date ? fireTime.getTime() : fireTime
  if (typeof time !== 'number' || !Number.isFinite(time))
    throw new TypeError(`fire time ${shownTime(fireTime)} is not a Date or milliseconds since 1970`)
  if (at !== 'most' && at !== 'least') throw new TypeError(`at ${shown(at)} is not "most" or "least"`)
  const read = {
    time,
    at,
    skew: readSpan('skew', skew ?? SKEW, MOST_SKEW),
    remember: readSpan('remember', remember ?? DAY, MOST_DAYS * DAY),
  }
  const early = time - Date.now()
  // A memory that forgets says up to which fire time (`Runs.before`). This works only because no job runs ahead of its time.
  if (early > read.skew)
    throw new RangeError(
      `fire time ${new Date(time).toISOString()} is ${early} ms ahead of the clock: a skew of ${read.skew} ms is allowed`,
    )
  return read
}

function shownTime(given: unknown): string {
  return given instanceof Date ? 'an invalid Date' : shown(given)
}

function readSpan(option: string, span: unknown, most: number): number {
  if (typeof span === 'number' && span >= 0 && span <= most) return span
  throw new TypeError(`${option} ${shown(span)} is not a number of milliseconds from 0 to ${most}`)
}

/** The lock is held, so no other caller reads or writes the runs of this name. */
async function runIfNew(
  fire: Fire,
  book: Book,
  held: Held,
  job: OnceJob<unknown>,
): Promise<OnceResult<unknown>> {
  const entry = await lookUp(fire, book, held)
  if (entry === null) return runAtLeast(fire, null, held, job)
  const { finding } = entry
  if (finding.kind === 'ran' && (finding.run.isDone || fire.at === 'most')) {
    await entry.confirm()
    const { by, at, isDone } = finding.run
    return { ran: false, by, at: new Date(at), finished: isDone }
  }
  if (fire.at === 'least') return runAtLeast(fire, entry, held, job)
  if (finding.kind === 'unknown') throw unknownRun(fire, finding.before)
  return runAtMost(fire, entry, held, job)
}

/** Null if it cannot be read and the job shall run anyway. */
async function lookUp(fire: Fire, book: Book, held: Held): Promise<Entry | null> {
  try {
    return await book.open(fire, held)
  } catch (error) {
    if (fire.at === 'most') throw error
    return null
  }
}

/** The start is remembered before the job begins, and the lock is still held then. So no other process has begun it, or will. */
async function runAtMost(
  fire: Fire,
  entry: Entry,
  held: Held,
  job: OnceJob<unknown>,
): Promise<OnceResult<unknown>> {
  await note(fire, entry, false)
  held.assertHeld()
  const value = await job(runOf(fire, held))
  // For people only. It changes nothing for the next process that fires.
  await note(fire, entry, true).catch(() => {})
  return { ran: true, value, remembered: true }
}

/**
 * The run is remembered after it returned. If the process dies before that, the next one runs the job again. If the lock was lost
 * meanwhile, the caller has heard that, and may have fired again.
 */
async function runAtLeast(
  fire: Fire,
  entry: Entry | null,
  held: Held,
  job: OnceJob<unknown>,
): Promise<OnceResult<unknown>> {
  held.assertHeld()
  const value = await job(runOf(fire, held))
  if (entry === null) return { ran: true, value, remembered: false }
  const remembered = note(fire, entry, true).then(
    () => true,
    () => false,
  )
  return { ran: true, value, remembered: await remembered }
}

async function note({ time, by, remember }: Fire, entry: Entry, isDone: boolean): Promise<void> {
  const at = Date.now()
  await entry.note({ time, by, at, isDone }, at - remember)
}

function runOf({ time }: Fire, held: Held): OnceRun {
  return {
    time: new Date(time),
    get fence() {
      return held.fence
    },
    get signal() {
      return held.signal
    },
  }
}

function unknownRun({ name, time }: Fire, before: number): RunUnknownError {
  const [fired, until] = [time, before].map((each) => new Date(each).toISOString())
  return new RunUnknownError(
    `it is unknown whether "${name}" ran for ${fired}: runs for fire times up to ${until} are forgotten`,
  )
}
