import type { Message } from '@turnwise/core/algorithm'
import type { Happening } from '@turnwise/core/trace/happening'
import { messageLabel, PLAIN, plainText, sentenceIn, type Wording } from '@turnwise/core/trace/sentence'
import { propertyTitle } from './property-title.ts'

/** The fence is for resources outside, and no paper has it: only the live room speaks of it. */
const UNFENCED: Wording = { ...PLAIN, hidesFences: true }

/** One sentence on what happened, as the page tells it. */
export function sentenceOf(happening: Happening): string {
  const { cause } = happening
  if (cause.is === 'violation') return `VIOLATION (${propertyTitle(cause.judge)}): ${plainText(cause.text)}`
  return sentenceIn(happening, UNFENCED)
}

/** The same as a sentence that stands alone: it begins with a capital letter, and a node is not just a figure. */
export function asSentence(told: string): string {
  return /^\d/.test(told) ? `Node ${told}` : told.charAt(0).toUpperCase() + told.slice(1)
}

/** A message and what it carries, as the page names it. */
export function letterLabel(message: Message): string {
  const carried = Object.entries(message).filter(([field]) => field !== 'fence')
  return messageLabel(Object.fromEntries(carried) as unknown as Message)
}
