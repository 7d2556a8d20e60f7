/** So much of each column, weighted by its coefficient, may be given in all; never less than nothing of a column. */
export interface Row {
  readonly coefficients: readonly number[]
  /** At least 0, so that giving nothing is allowed. */
  readonly limit: number
}

/**
 * The largest gain within the limits, which must bound it. By the simplex method from "nothing given", with Bland's
 * rule, so that it ends.
 */
export function largest(rows: readonly Row[], gains: readonly number[]): number {
  const columns = gains.length + rows.length
  const table = rows.map(({ coefficients, limit }, place) => {
    const cells = new Float64Array(columns + 1)
    cells.set(coefficients)
    cells[gains.length + place] = 1
    cells[columns] = limit
    return cells
  })
  const gain = new Float64Array(columns + 1)
  gain.set(gains)
  const basis = table.map((_, place) => gains.length + place)
  for (;;) {
    const column = gain.subarray(0, columns).findIndex((value) => value > 1e-9)
    if (column === -1) return -gain[columns]
    const row = leavingRow(table, basis, column, columns)
    basis[row] = column
    const pivot = table[row][column]
    for (let i = 0; i <= columns; i += 1) table[row][i] /= pivot
    for (const other of [...table, gain]) {
      const factor = other[column]
      if (other === table[row] || factor === 0) continue
      for (let i = 0; i <= columns; i += 1) other[i] -= factor * table[row][i]
    }
  }
}

/** The row that limits the column most; of equals the one whose variable comes first. */
function leavingRow(table: Float64Array[], basis: number[], column: number, columns: number): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  table.forEach((cells, row) => {
    if (cells[column] < 1e-9) return
    const ratio = cells[columns] / cells[column]
    if (ratio < least - 1e-12 || (ratio < least + 1e-12 && basis[row] < basis[best])) {
      best = row
      least = ratio
    }
  })
  return best
}
