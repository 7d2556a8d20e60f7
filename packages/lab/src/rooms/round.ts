/** A measured or computed number, as tables show it. */
export const round = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 })
