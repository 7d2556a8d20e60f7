/** What a daemon tells of itself: JSON, an object a line, for what gathers logs; words for people at a terminal. */
import type { LiveHappening } from '@turnwise/lab/live/live-view'
import type { Details, Logger } from '@turnwise/mesh/observe/logger'
import { pino } from 'pino'
import type { Level } from './log-level.ts'

/** How the daemon itself logs: every line has what `about` says besides its own details. */
export interface Log {
  info(event: string, details?: Details): void
  warn(event: string, details?: Details): void
}

export function loggerTo(write: (line: string) => void, form: 'json' | 'text', level: Level): Logger {
  const options = {
    level,
    base: null,
    messageKey: 'event',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, {
    write: (line) => write(form === 'json' ? line.trimEnd() : inWords(JSON.parse(line) as Written)),
  })
}

export function logOf(logger: Logger, about: () => Details): Log {
  return {
    info: (event, details) => logger.info({ ...about(), ...details }, event),
    warn: (event, details) => logger.warn({ ...about(), ...details }, event),
  }
}

/** Passes on all that it is told, and keeps the latest of it in words, for the page and the status. */
export function keepingLatest(
  logger: Logger,
  most: number,
): {
  readonly logger: Logger
  readonly latest: readonly LiveHappening[]
  /** Why the node is not served, in its own last words. It may be in trouble before it has joined. */
  readonly trouble: () => readonly string[]
} {
  const latest: LiveHappening[] = []
  let trouble: readonly string[] = []
  const keep = (level: Exclude<keyof Logger, 'debug'>) => (details: Details, event: string) => {
    logger[level](details, event)
    if (event === 'trouble' || event === 'trouble over') trouble = details['trouble'] as readonly string[]
    const time = new Date().toISOString().slice(11, 19)
    const text = inWords({ ...details, time, level, event })
    latest.push({ text, isTrouble: level !== 'info' })
    if (latest.length > most) latest.shift()
  }
  return {
    logger: {
      debug: (details, event) => logger.debug(details, event),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
    },
    latest,
    trouble: () => trouble,
  }
}

interface Written {
  readonly time: string
  readonly level: string
  readonly event: string
}

const HEADS: Readonly<Record<string, string>> = { warn: 'warning:', error: 'error:' }

/** One line, whatever is in it. Whose log it is need not be said at a terminal. */
function inWords(written: Written): string {
  const { time, level, event, ...details } = written
  const told = Object.entries(details)
    .filter(([name]) => name !== 'node')
    .map(([name, value]) => `${name}=${shown(value)}`)
  const head = HEADS[level]
  return [time, ...(head === undefined ? [] : [head]), event, ...told].join(' ').replaceAll(/\p{Cc}/gu, ' ')
}

/** Quoted where it could be taken for more than one word. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => shown(each)).join(',')
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value)
}
