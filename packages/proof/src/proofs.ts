import { catalogue, namesOf } from '@turnwise/algorithms/catalogue'
import { unknownAlgorithm } from '@turnwise/algorithms/unknown-algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { proof as carvalhoRoucairol } from './models/carvalho-roucairol.ts'
import { proof as centralCoordinator } from './models/central-coordinator.ts'
import { proof as lamport } from './models/lamport.ts'
import { proof as maekawa } from './models/maekawa.ts'
import { proof as naimiTrehel } from './models/naimi-trehel.ts'
import { proof as neilsenMizuno } from './models/neilsen-mizuno.ts'
import { proof as raymond } from './models/raymond.ts'
import { proof as ricartAgrawala } from './models/ricart-agrawala.ts'
import { proof as sanders } from './models/sanders.ts'
import { proof as suzukiKasami } from './models/suzuki-kasami.ts'
import { proof as tokenQueue } from './models/token-queue.ts'
import { proof as tokenRing } from './models/token-ring.ts'
import type { BrokenModel, Proof } from './proof.ts'

/** Every algorithm that is proved for any number of nodes. */
export const proofs: readonly Proof[] = [
  ricartAgrawala,
  centralCoordinator,
  suzukiKasami,
  naimiTrehel,
  raymond,
  neilsenMizuno,
  tokenRing,
  tokenQueue,
  lamport,
  carvalhoRoucairol,
  maekawa,
  sanders,
]

/** The proof of an algorithm of the catalogue; undefined if there is none. */
export function proofOf(name: string): Proof | undefined {
  return proofs.find(({ algorithm }) => algorithm.facts.name === name)
}

/** The name under which a broken model is proved, or rather not. */
export function brokenName({ algorithm }: Proof, { name }: BrokenModel): string {
  return `${algorithm.facts.name}-${name}`
}

/** A proof by name, and the broken model of it where the name is one's. */
export function provable(name: string): { readonly proof: Proof; readonly broken: BrokenModel | null } {
  for (const proof of proofs) {
    if (proof.algorithm.facts.name === name) return { proof, broken: null }
    const broken = proof.broken.find((each) => brokenName(proof, each) === name)
    if (broken !== undefined) return { proof, broken }
  }
  if (catalogue.some(({ facts }) => facts.name === name))
    throw new InvalidInput(`"${name}" has no proof. "turnwise prove" lists the algorithms that have one`)
  const known = proofs.flatMap((proof) => proof.broken.map((each) => brokenName(proof, each)))
  throw unknownAlgorithm(name, [...namesOf(catalogue), ...known])
}
