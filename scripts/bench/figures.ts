import { availableParallelism, loadavg } from 'node:os'

/** What figures were measured on. */
export function machine(): string {
  const load = loadavg()[0].toFixed(1)
  return `${availableParallelism()} processors, load ${load}, Node ${process.version}`
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en')
}
