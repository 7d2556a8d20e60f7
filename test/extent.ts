/**
 * How far a test goes. `npm test` goes as far as takes seconds. `npm run test:long` goes further: models of tens of thousands of states, all
 * kinds of bounds, more random runs. `TURNWISE_LONG=1 npm test` goes all the way: also to what is larger and shows no other behaviour.
 * `test:long` runs the files that import `extent`, `isDue`, `isLong` or `LONG`, except those with real processes: `TURNWISE_LONG=most npm run test:processes`
 * runs these. Continuous integration runs all three.
 */
const asked = process.env['TURNWISE_LONG']

export const isWhole = asked === '1'

export const isLong = isWhole || asked === 'most'

/** `test('…', LONG, …)`: left to the long runs. The same is shown shorter, or takes many processes to show. */
export const LONG = { tags: ['long'] }

export function extent<T>(short: T, long: T, whole = long): T {
  return isWhole ? whole : isLong ? long : short
}

/** Whether something of this size is due: up to `short` in `npm test`, above that and up to `long` in the long tests, all up to `whole` in both. */
export function isDue(size: number, short: number, long: number, whole = long): boolean {
  return isWhole ? size <= whole : isLong ? size > short && size <= long : size <= short
}
