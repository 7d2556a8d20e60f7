/** The level of a log. Lines of this level and of more urgent ones are written. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]
