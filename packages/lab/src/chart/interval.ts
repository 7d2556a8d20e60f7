/** The 97.5 % quantiles of Student's distribution for 1, 2, 3, ... degrees of freedom. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]
const NORMAL = 1.96

/** The mean of values drawn alike, with its 95 % interval; of a single value nothing but itself is known. */
export function meanWithInterval(values: readonly number[]): { mean: number; low: number; high: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  if (values.length < 2) return { mean, low: mean, high: mean }
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const reach =
    (STUDENT[values.length - 2] ?? NORMAL) * Math.sqrt(squares / (values.length - 1) / values.length)
  return { mean, low: mean - reach, high: mean + reach }
}
