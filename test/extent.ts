/**
 * How far a test goes. `npm test` goes as far as takes seconds; `npm run test:long` runs every file that imports this one
 * again and goes all the way: whole models, all bounds, many random runs. Continuous integration runs both.
 */
export const isLong = process.env['TURNWISE_LONG'] === '1'

export function extent<T>(short: T, long: T): T {
  return isLong ? long : short
}
