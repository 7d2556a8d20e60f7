import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { type Structure, structureOf } from '@turnwise/core/structure/structure'
import { structureFromText, structureText } from '@turnwise/core/structure/structure-from-text'
import { validate } from '@turnwise/core/structure/validate'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { isWrong, renamed, STRUCTURES, structureAt, verdictOf } from './every-structure.ts'
import { excludes } from './excludes.ts'

/** The theorem of section 4 of Sanders (1987) against the checker, in structures where every node tells itself. */

function subsets(nodes: number): NodeId[][] {
  return Array.from({ length: 1 << nodes }, (_, bits) =>
    [...Array(nodes).keys()].filter((node) => (bits & (1 << node)) !== 0),
  )
}

/** Every structure of two nodes in which each tells itself. */
function allOfTwo(): Structure[] {
  const sets = subsets(2)
  const choices = [0, 1].map((node) =>
    sets.filter((told) => told.includes(node)).flatMap((told) => sets.map((asked) => ({ told, asked }))),
  )
  return get(choices, 0).flatMap((first) =>
    get(choices, 1).map((second) => structureOf([first.told, second.told], [first.asked, second.asked])),
  )
}

/** Every node tells itself and asks whom it tells: of each other node it is neither, asked, or told and asked. */
function allWithA(nodes: number): Structure[] {
  const all = [...Array(nodes).keys()]
  const ways = 3 ** (nodes - 1)
  const of = (node: NodeId, code: number, least: 1 | 2) =>
    all.filter((other) => {
      const place = other < node ? other : other - 1
      return other === node || Math.floor(Math.floor(code / ways ** node) / 3 ** place) % 3 >= least
    })
  return Array.from({ length: ways ** nodes }, (_, code) =>
    structureOf(
      all.map((node) => of(node, code, 2)),
      all.map((node) => of(node, code, 1)),
    ),
  )
}

/** Every node tells itself and asks whom it tells; the rest by chance. */
function drawn(nodes: number, random: Random): Structure {
  const all = [...Array(nodes).keys()]
  const inform = all.map((node) => all.filter((other) => other === node || random.below(5) < 2))
  const request = inform.map((told) => all.filter((other) => told.includes(other) || random.below(2) === 0))
  return structureOf(inform, request)
}

function fails(structure: Structure, condition: 'a' | 'b'): boolean {
  return validate(structure).flaws.some((flaw) => flaw.condition === condition)
}

function size({ inform, request }: Structure): number {
  return inform.flat().length + request.flat().length
}

describe('where a and b hold exclusion holds; where a holds and b fails the checker finds a violation', () => {
  // shows sanders-1987 4 Proof, sufficiency
  test('every structure of two nodes', () => {
    const structures = allOfTwo().filter((structure) => !fails(structure, 'a'))
    expect(structures.length).toBe(9)
    for (const structure of structures) {
      expect(excludes(structure, 2), structureText(structure)).toBe(!fails(structure, 'b'))
    }
  })

  // shows sanders-1987 4 Proof, sufficiency
  test('the 729 structures of three nodes in which a holds', () => {
    const structures = allWithA(3)
    expect(structures.length).toBe(729)
    for (const structure of structures.filter((_, i) => i % extent(9, 3, 1) === 0)) {
      expect(excludes(structure), structureText(structure)).toBe(validate(structure).valid)
    }
  })

  test('some structures of four nodes that are not valid', () => {
    const random = randomStream(4, 'structures')
    for (let i = 0; i < extent(4, 12); i += 1) {
      let structure = drawn(4, random)
      // A valid structure of four nodes can take minutes to explore; that it is safe is told by those of three.
      while (validate(structure).valid) structure = drawn(4, random)
      expect(excludes(structure), structureText(structure)).toBe(false)
    }
  })

  // shows sanders-1987 4 Proof, sufficiency
  test('valid structures of four nodes', () => {
    for (const text of ['0/1/0.1.2/0.1.3:0.1/0.1/0.1.2/0.1.3', '0.3/1.3/2.3/3:0.3/1.3/2.3/3']) {
      expect(excludes(structureFromText(text, 4)), text).toBe(true)
    }
  })

  test.each(['figure-3a', 'figure-3b'])('%s fails', (name) => {
    expect(excludes(structureFromText(name, name === 'figure-3a' ? 3 : 4))).toBe(false)
  })
})

describe('all 262,144 structures of three nodes: npm run structures has the counts', () => {
  test('the theorem is right about some of them by chance, with two requests of each node', () => {
    const random = randomStream(1987, 'structures')
    for (let i = 0; i < extent(40, 400); i += 1) {
      const structure = structureAt(random.below(STRUCTURES))
      // With two requests those that are safe have up to some hundred thousand states.
      const isSafe = excludes(structure) && (i % 40 > 0 || excludes(structure, 2))
      expect(isWrong(verdictOf(structure), isSafe), structureText(structure)).toBe(false)
    }
  })

  test('names do not matter, although they break ties: all structures of a class are safe, or none', () => {
    const random = randomStream(1987, 'names')
    for (let i = 0; i < extent(8, 80); i += 1) {
      const verdicts = renamed(random.below(STRUCTURES)).map((code) => excludes(structureAt(code)))
      expect(new Set(verdicts).size).toBe(1)
    }
  })

  test('they are told apart, and a class has its structures under all names', () => {
    expect(structureText(structureAt(0))).toBe('//://')
    expect(structureText(structureAt(STRUCTURES - 1))).toBe(
      structureText(structureOf([0, 1, 2].map(() => [0, 1, 2]))),
    )
    const code = 0b010_001_100_010_001_100
    expect(renamed(code)).toContain(code)
    for (const other of renamed(code)) expect(renamed(other).toSorted()).toEqual(renamed(code).toSorted())
  })
})

describe('condition a is not necessary, though the paper calls it obvious', () => {
  // shows sanders-1987 4 Proof, necessity (Figures 3a and 3b)
  // shows claim condition-a-is-necessary
  test('the smallest of two nodes: both ask and tell one of them, and the other tells itself without asking', () => {
    const harmless = allOfTwo()
      .filter((structure) => fails(structure, 'a') && excludes(structure, 2))
      .toSorted((a, b) => size(a) - size(b))
    expect(harmless.length).toBe(10)
    expect(
      harmless.filter((structure) => size(structure) === size(get(harmless, 0))).map(structureText),
    ).toEqual(['0/0.1:0/0', '0.1/1:1/1'])
  })

  // shows claim condition-a-is-necessary
  test('a and b as the footnote wants them hold of what is left when whom nobody asks is not told', () => {
    for (const structure of allOfTwo()) {
      const asked = structure.inform.map((told, node) =>
        told.filter((other) => get(structure.request, node).includes(other)),
      )
      const { valid } = validate(structureOf(asked, structure.request))
      expect(excludes(structure, 2), structureText(structure)).toBe(valid)
    }
  })
})
