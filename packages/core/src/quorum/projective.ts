/**
 * Finite projective planes: n = q^2 + q + 1 points and as many lines of q + 1 points, every two lines meeting
 * in exactly one point. Each node's quorum is a line. Where all nodes ask equally many and are asked equally
 * often, no smaller quorums are possible (Maekawa 1985).
 *
 * A plane is known for every order q that is a power of a prime, and for no other; there is none of order 6
 * or 10. The known ones can be had as the turns of a single line, a perfect difference set: every number from
 * 1 to n - 1 is in exactly one way the difference modulo n of two of its members (Singer 1938). GF(q^3) is a
 * space of three dimensions over GF(q). Its lines through zero are the points of the plane, one for each of
 * the powers g^0 .. g^(n-1) of a generator g; its planes through zero are the lines. The one taken here is
 * that of the elements whose trace down to GF(q) is zero; multiplying by g turns it into the next.
 */
import { InvalidInput } from '../invalid-input.ts'
import { cyclic } from './cyclic.ts'
import { type FieldElement, type FiniteField, finiteField, primePower } from './finite-field.ts'
import type { Quorums } from './quorums.ts'

/** The order of the plane that has `nodes` points, or null where none can be built. */
export function planeOrder(nodes: number): number | null {
  const order = Math.floor(Math.sqrt(nodes))
  return planeSize(order) === nodes && primePower(order) !== null ? order : null
}

export function projective(nodes: number): Quorums {
  const order = planeOrder(nodes)
  if (order === null) {
    const nearest = nearestSizes(nodes).join(' and ')
    throw new InvalidInput(`no projective plane of ${nodes} nodes can be built, the nearest of ${nearest}`)
  }
  return cyclic('projective', nodes, differenceSet(order))
}

function planeSize(order: number): number {
  return order * order + order + 1
}

/** The largest smaller and the smallest larger number of nodes that has a plane; below 7 only the latter. */
function nearestSizes(nodes: number): number[] {
  let below = Math.floor(Math.sqrt(nodes))
  while (below > 1 && (primePower(below) === null || planeSize(below) >= nodes)) below -= 1
  let above = Math.max(2, below)
  while (primePower(above) === null || planeSize(above) <= nodes) above += 1
  return below > 1 ? [planeSize(below), planeSize(above)] : [planeSize(above)]
}

/** The line of trace zero, turned so that it begins with 0. */
function differenceSet(order: number): number[] {
  const factors = primePower(order)
  if (factors === null) throw new RangeError(`${order} is not a power of a prime`)
  const { prime, exponent } = factors
  const field = finiteField(prime, 3 * exponent)
  const traces = traceRows(field, order)
  const line: number[] = []
  let point = field.one
  for (let i = 0; i < planeSize(order); i += 1) {
    if (traces.every((row) => dot(row, point) % prime === 0)) line.push(i)
    point = field.timesX(point)
  }
  return line.map((i) => i - line[0])
}

/**
 * The trace y + y^q + y^(q^2) is linear over GF(p), so it is a matrix over the coefficients of y: row r gives
 * the coefficient of x^r in the trace. Without it every point would cost two powers.
 */
function traceRows(field: FiniteField, order: number): number[][] {
  const rows: number[][] = Array.from({ length: field.degree }, () => [])
  let y = field.one
  for (let column = 0; column < field.degree; column += 1) {
    const conjugate = field.power(y, order)
    const second = field.power(conjugate, order)
    for (let r = 0; r < field.degree; r += 1) rows[r].push((y[r] + conjugate[r] + second[r]) % field.prime)
    y = field.timesX(y)
  }
  return rows
}

function dot(row: readonly number[], element: FieldElement): number {
  return row.reduce((sum, entry, i) => sum + entry * element[i], 0)
}
