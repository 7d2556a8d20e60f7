/** What of a log is written: it and whatever is more urgent. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]
