import { availableParallelism, loadavg } from 'node:os'
import { get } from '@turnwise/core/bounds'

/** What figures were measured on. */
export function machine(): string {
  const load = get(loadavg(), 0).toFixed(1)
  return `${availableParallelism()} processors, load ${load}, Node ${process.version}`
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en')
}
