import { InvalidInput } from '@turnwise/core/invalid-input'
import { servable } from '../src/protocol/serving.ts'

/** Whether an algorithm with these settings can serve locks. */
export function isServable(text: string): boolean {
  try {
    servable(text)
    return true
  } catch (error) {
    if (error instanceof InvalidInput) return false
    throw error
  }
}
