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
 *
 * For any other n the smallest plane with more points is folded onto the nodes: point p becomes node p mod n, and
 * node i asks what became of line i (Maekawa 1985 likewise derives the sets for such n from those of a larger one).
 * Lines that met in p now meet in p mod n, so every two quorums still meet, if not in exactly one node; line i has
 * the point i, so every node is in its own. A quorum has at most q + 1 nodes, fewer where two of its points fall
 * together: never more than a grid on average. The price is that a node with two points is asked more often.
 */
import { get } from '../bounds.ts'
import { InvalidInput } from '../invalid-input.ts'
import { cyclic } from './cyclic.ts'
import { type FieldElement, type FiniteField, finiteField, primePower } from './finite-field.ts'
import type { Quorums } from './quorums.ts'

/** A line is found by a walk over all points, so a plane of more is out of reach. */
const MOST_NODES = 10_000_000

/** The order of the plane that has `nodes` points, or null where none can be built. */
export function planeOrder(nodes: number): number | null {
  const order = Math.floor(Math.sqrt(nodes))
  return planeSize(order) === nodes && primePower(order) !== null ? order : null
}

/** The lines of the plane of so many points, or else those of the next larger one, folded. */
export function projective(nodes: number): Quorums {
  if (!(Number.isInteger(nodes) && nodes >= 1 && nodes <= MOST_NODES)) {
    throw new InvalidInput(`no projective plane for ${nodes} nodes can be built, only for 1 to ${MOST_NODES}`)
  }
  const order = planeOrder(nodes)
  return order === null ? folded(nodes, orderAbove(nodes)) : plane(order)
}

/** Found once for each order: the search for a field takes longer than all the quorums, and every run of a world asks anew. */
const lines = new Map<number, readonly number[]>()

function plane(order: number): Quorums {
  const line = lines.get(order) ?? differenceSet(order)
  lines.set(order, line)
  return cyclic('projective', planeSize(order), line)
}

function folded(nodes: number, order: number): Quorums {
  const points = planeSize(order)
  const whole = plane(order)
  return {
    kind: 'projective',
    nodes,
    fallback:
      `no projective plane of ${nodes} points can be built: took that of order ${order} with its ${points} points ` +
      `folded onto ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, point p to node p mod ${nodes}`,
    of: (node) => [...new Set(whole.of(node).map((point) => point % nodes))].toSorted((a, b) => a - b),
  }
}

function planeSize(order: number): number {
  return order * order + order + 1
}

/** The least order of a plane with more points. */
function orderAbove(nodes: number): number {
  let order = Math.max(2, Math.floor(Math.sqrt(nodes)))
  while (primePower(order) === null || planeSize(order) <= nodes) order += 1
  return order
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
  return line.map((i) => i - get(line, 0))
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
    for (let r = 0; r < field.degree; r += 1)
      get(rows, r).push((get(y, r) + get(conjugate, r) + get(second, r)) % field.prime)
    y = field.timesX(y)
  }
  return rows
}

function dot(row: readonly number[], element: FieldElement): number {
  return row.reduce((sum, entry, i) => sum + entry * get(element, i), 0)
}
