import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenElection, BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { innocents } from '@turnwise/algorithms/innocent/innocents'
import type { InnocentVariant } from '@turnwise/algorithms/innocent-variant'
import { counterexample } from '@turnwise/checker/property'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import { checkModel, commandFor, instanceOf, lengthOf, modelFiles } from '../models.ts'
import { claims } from './claims.ts'

const WIDTH = 110

/**
 * Published rules that fail, each with its shortest counterexample; rules that were suspected and do not; claims that
 * do not hold; then slips that show what a rule is for.
 */
export async function errata(): Promise<string> {
  const all = [...gallery, ...brokenElections]
  const published = all.filter((variant) => variant.published !== null)
  const slips = all.filter((variant) => variant.published === null)
  return [
    '# Errata',
    '',
    'Rules as they were published that do not do what they are meant to, found or confirmed by exhaustive search. Each',
    'is kept as a broken variant in `packages/algorithms/broken`, with a shortest run that shows the failure; the',
    'catalogue has the repaired rule. Where a source says nothing, the rule is our plainest reading, and says so. Generated',
    'by `npm run docs`.',
    '',
    ...published.flatMap(entry),
    '## Suspects that turned out innocent',
    '',
    'Published rules that read as if they could not work, or that two documents give differently. The checker visited',
    'every state of the instances below, and every property holds; a variant is in `packages/algorithms/innocent`,',
    'where the catalogue does not follow the rule itself. Beyond these bounds nothing is proved.',
    '',
    ...innocents.flatMap(acquitted),
    ...(await claims()),
    '## What the rules are for',
    '',
    'Nobody published these: each changes one rule of an algorithm, and shows by its failure why the rule is there.',
    '',
    ...slips.flatMap(entry),
  ].join('\n')
}

function entry(variant: BrokenVariant | BrokenElection): string[] {
  const { algorithm, published, rule, failure, repair } = variant
  const { name } = algorithm.facts
  return [
    `${published === null ? '###' : '##'} ${name}`,
    '',
    ...(published === null ? [] : [`**Published in** ${published}.`, '']),
    `**Rule.** ${rule}`,
    '',
    `**Failure.** ${failure}`,
    '',
    `**Repair.** ${repair}`,
    '',
    ...(variant.takesLong === true ? recorded(variant) : shown(variant)),
  ]
}

/** The run that shows the failure, found by a search now. */
function shown({ algorithm, instance, fails }: BrokenVariant | BrokenElection): string[] {
  const { name } = algorithm.facts
  const checked = instanceOf(algorithm, instance)
  const { failure: found } = checkModel(checked)
  if (found?.name !== fails)
    throw new Error(`${name} should fail ${fails}, and fails ${found?.name ?? 'nothing'}`)
  const trace = counterexample(checked, found)
  if (trace === null) throw new Error(`${name} has no run to show`)
  // Name and legend stand in the text already.
  const diagram = renderDiagram(trace, { width: WIDTH }).split('\n').slice(3).join('\n')
  return [
    `\`${commandFor(name, instance)}\`: ${fails} fails after ${lengthOf(found)} steps.`,
    '',
    '```',
    diagram.trimEnd(),
    '```',
    '',
  ]
}

/** What the record of a long search says, which `npm run check:all` holds to it. */
function recorded({ algorithm, instance, fails }: BrokenVariant | BrokenElection): string[] {
  const { name } = algorithm.facts
  const file = modelFiles().find((models) => models.algorithm === name)
  const expected = file?.models.find(({ expected }) => expected?.fails === fails)?.expected
  if (expected === undefined) throw new Error(`${name} has no record of failing ${fails}`)
  return [
    `\`${commandFor(name, instance)}\`: ${fails} fails after ${expected.length} steps, and the run is shown; the search of ` +
      `${expected.states.toLocaleString('en-US')} states takes a minute.`,
    '',
  ]
}

function acquitted({ name, algorithm, published, rule, suspicion, harmless }: InnocentVariant): string[] {
  const file = modelFiles().find((models) => models.algorithm === algorithm.facts.name)
  if (file === undefined) throw new Error(`${name} was not checked`)
  const checked = file.models.map((model) => {
    const { expected } = model
    if (expected === undefined || expected.fails !== undefined)
      throw new Error(`${commandFor(file.algorithm, model)} should hold, and fails ${expected?.fails}`)
    return `- \`${commandFor(file.algorithm, model)}\`: ${expected.states.toLocaleString('en-US')} states`
  })
  return [
    `### ${name}`,
    '',
    `**Published in** ${published}.`,
    '',
    `**Rule.** ${rule}`,
    '',
    `**Suspicion.** ${suspicion}`,
    '',
    `**Why it does no harm.** ${harmless}`,
    '',
    ...checked,
    '',
  ]
}
