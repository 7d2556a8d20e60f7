import { get } from '../bounds.ts'

/** The m coefficients in GF(p) of an element of GF(p^m), lowest power of x first. */
export type FieldElement = readonly number[]

/** As much of GF(p^m) as a walk through the powers of its generator x needs. */
export interface FiniteField {
  readonly prime: number
  readonly degree: number
  readonly one: FieldElement
  timesX(element: FieldElement): FieldElement
  power(element: FieldElement, exponent: number): FieldElement
}

/**
 * GF(prime^degree) in which x is a generator, that is, modulo a primitive polynomial. One in about `degree`
 * polynomials is irreducible and a good part of those is primitive, so trying them in turn ends soon.
 */
export function finiteField(prime: number, degree: number): FiniteField {
  let size = 1
  for (let i = 0; i < degree; i += 1) size *= prime
  const divisors = primeFactors(size - 1)
  // Codes below `prime` stand for x^m = c, where x runs through m (p - 1) powers at most: never enough.
  for (let code = prime; ; code += 1) {
    const field = modulo(prime, digits(code, prime, degree))
    if (generatesAll(field, size - 1, divisors)) return field
  }
}

/** The prime and the exponent that give `value`, or null if it is no power of one prime. */
export function primePower(value: number): { readonly prime: number; readonly exponent: number } | null {
  const [prime, another] = primeFactors(value)
  if (prime === undefined || another !== undefined) return null
  let exponent = 0
  for (let rest = value; rest > 1; rest /= prime) exponent += 1
  return { prime, exponent }
}

/** Each prime factor once, in rising order. */
function primeFactors(value: number): number[] {
  const factors: number[] = []
  let rest = value
  for (let divisor = 2; divisor * divisor <= rest; divisor += 1) {
    if (rest % divisor !== 0) continue
    factors.push(divisor)
    while (rest % divisor === 0) rest /= divisor
  }
  if (rest > 1) factors.push(rest)
  return factors
}

/**
 * Whether the order of x is p^m - 1. Whether the polynomial is irreducible need not be asked: if it is not,
 * there are zero divisors, so fewer invertible elements than that, and x cannot have as many powers.
 */
function generatesAll(field: FiniteField, order: number, divisors: readonly number[]): boolean {
  const x = field.timesX(field.one)
  if (!isOne(field.power(x, order))) return false
  return divisors.every((divisor) => !isOne(field.power(x, order / divisor)))
}

function isOne(element: FieldElement): boolean {
  return element.every((coefficient, i) => coefficient === (i === 0 ? 1 : 0))
}

/** The polynomials over GF(p) in which x^m counts as `reduction`: a field or not, as that one decides. */
function modulo(prime: number, reduction: FieldElement): FiniteField {
  const degree = reduction.length
  const one = digits(1, prime, degree)

  function timesX(element: FieldElement): FieldElement {
    const carry = get(element, degree - 1)
    return reduction.map(
      (coefficient, i) => ((i === 0 ? 0 : get(element, i - 1)) + carry * coefficient) % prime,
    )
  }

  function multiply(a: FieldElement, b: FieldElement): FieldElement {
    let product = digits(0, prime, degree)
    for (let i = degree - 1; i >= 0; i -= 1) {
      product = timesX(product).map((coefficient, j) => (coefficient + get(a, i) * get(b, j)) % prime)
    }
    return product
  }

  function power(element: FieldElement, exponent: number): FieldElement {
    let result = one
    let square = element
    // Exponents outgrow 32 bits, so they are halved by division, not shifted.
    for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = multiply(result, square)
      square = multiply(square, square)
    }
    return result
  }

  return { prime, degree, one, timesX, power }
}

/** The `count` lowest digits of `value` in the given base, lowest first. */
function digits(value: number, base: number, count: number): FieldElement {
  const result: number[] = []
  for (let i = 0, rest = value; i < count; i += 1, rest = Math.floor(rest / base)) result.push(rest % base)
  return result
}
