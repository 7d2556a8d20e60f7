/**
 * How far a test goes. `npm test` goes as far as takes seconds. `npm run test:long` goes all the way: whole models, all bounds,
 * many random runs. It runs the files that import this one, but for those with real processes: `TURNWISE_LONG=1 npm run test:processes`
 * runs these. Continuous integration runs all three.
 */
export const isLong = process.env['TURNWISE_LONG'] === '1'

export function extent<T>(short: T, long: T): T {
  return isLong ? long : short
}
