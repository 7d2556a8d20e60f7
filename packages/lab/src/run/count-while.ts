/** How many of a list, from its beginning, are so; those who are so stand before all who are not. */
export function countWhile<Item>(list: ArrayLike<Item>, isSo: (item: Item) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(list[middle])) low = middle + 1
    else high = middle
  }
  return low
}
