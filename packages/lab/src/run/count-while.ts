import { get } from '@turnwise/core/bounds'

/** How many items at the beginning of a list satisfy the test. All that do come before all that do not. */
export function countWhile<Item>(list: readonly Item[], isSo: (item: Item) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(get(list, middle))) low = middle + 1
    else high = middle
  }
  return low
}
