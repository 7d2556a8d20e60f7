/**
 * The graph, the quorums and the information structure of a world, in the words of the command line. They are built for a number
 * of nodes. A mesh builds them anew for the members of each view.
 */
import type { ProtocolFacts } from './facts.ts'
import { InvalidInput } from './invalid-input.ts'
import { quorumsFrom } from './quorum/quorum-from-text.ts'
import { firstDisjointPair } from './quorum/quorums.ts'
import { randomStream } from './random.ts'
import { arrange, type Wishes } from './setup.ts'
import { structureFromText } from './structure/structure-from-text.ts'
import { tellFlaw, validate } from './structure/validate.ts'
import { topologyFrom } from './topology.ts'

const WORDS = ['topology', 'quorum', 'structure'] as const

type Word = (typeof WORDS)[number]

export type AskedWorld = { readonly [Each in Word]?: string | undefined }

/** Divides settings such as `quorum=grid` from those that are options of the algorithm. */
export function takeAskedWorld(settings: readonly string[]): {
  readonly asked: Partial<Record<Word, string>>
  readonly settings: readonly string[]
} {
  const asked: Partial<Record<Word, string>> = {}
  const left = settings.filter((setting) => {
    const word = WORDS.find((each) => setting.startsWith(`${each}=`))
    if (word !== undefined) asked[word] = setting.slice(word.length + 1)
    return word === undefined
  })
  return { asked, settings: left }
}

type Built = Pick<Wishes<object>, 'topology' | 'quorums' | 'structure'>

/** What is asked for, for so many nodes. Throws InvalidInput if it cannot be built or would not exclude. */
export function soundWorld(asked: AskedWorld, facts: ProtocolFacts, nodes: number): Built {
  const { topology, quorum, structure } = asked
  if (WORDS.every((word) => asked[word] === undefined)) return {}
  const built: Built = {
    ...(topology !== undefined && {
      topology: topologyFrom(topology, nodes, randomStream(0, 'topology')),
    }),
    ...(quorum !== undefined && { quorums: quorumsFrom(quorum, nodes) }),
    ...(structure !== undefined && { structure: structureFromText(structure, nodes) }),
  }
  if (built.quorums !== undefined && firstDisjointPair(built.quorums) !== null)
    throw new InvalidInput(`"${quorum}" has two quorums of ${nodes} nodes that do not meet`)
  const [flaw] = built.structure === undefined ? [] : validate(built.structure).flaws
  if (flaw !== undefined) throw new InvalidInput(`"${structure}" does not exclude: ${tellFlaw(flaw)}`)
  arrange(facts, { nodes, options: {}, ...built })
  return built
}

/**
 * What is asked for, among the members of a view of a mesh: a structure for four nodes serves views of four members. In a view of
 * another number, null: the algorithm takes what it takes by itself.
 */
export function worldOfView(asked: AskedWorld, facts: ProtocolFacts, members: number): Built | null {
  try {
    return soundWorld(asked, facts, members)
  } catch (error) {
    if (error instanceof InvalidInput) return null
    throw error
  }
}

/** Structures that are the same for all nodes, or favour one that the host may choose. */
const UNNUMBERED = ['central', 'ricart-agrawala', 'maekawa']

/** Whether the words mean certain nodes by their numbers. */
export function meansNumbers({ structure }: AskedWorld): boolean {
  return structure !== undefined && !UNNUMBERED.includes(structure)
}
