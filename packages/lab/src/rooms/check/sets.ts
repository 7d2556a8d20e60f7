/** The words of `--sets` by which every request is for so many resources: "0,1/0,2/1,2". */
export function setsOfSize(resources: number, size: number): string {
  const all = Array.from({ length: 2 ** resources }, (_, bits) =>
    Array.from({ length: resources }, (__, resource) => resource).filter(
      (resource) => (bits >> resource) & 1,
    ),
  )
  return all
    .filter((set) => set.length === size)
    .map((set) => set.join(','))
    .join('/')
}

/** How many resources each request is for by these words; `other` if they say something else. */
export function sizeOfSets(sets: string, resources: number): number | 'any' | 'other' {
  if (sets === '' || sets === 'any') return 'any'
  const sizes = Array.from({ length: resources }, (_, i) => i + 1)
  return sizes.find((size) => setsOfSize(resources, size) === sets) ?? 'other'
}
