import { paperClaims } from './claims/papers.ts'
import { surveyClaims } from './claims/survey.ts'
import { cited, verifyCommand, verifyEvidence } from './evidence.ts'
import { taggedClaims } from './tags.ts'

/** Claims of the sources that measurement, search or proof contradicts, as a section of the errata. */
export async function claims(): Promise<string[]> {
  const tests = taggedClaims()
  const all = [...paperClaims, ...surveyClaims].map((claim) => ({
    ...claim,
    shownBy: [...(tests.get(claim.name ?? '') ?? []), ...(claim.shownBy ?? [])],
  }))
  const stray = [...tests.keys()].find((tag) => !all.some(({ name }) => name === tag))
  if (stray !== undefined) throw new Error(`a test shows the claim "${stray}", which is none`)
  for (const { claimed, where, shownBy, command } of all) {
    for (const evidence of shownBy) verifyEvidence(evidence, `${where}, ${claimed}`)
    if (shownBy.length === 0) throw new Error(`${where}, ${claimed}: nothing shows it`)
    if (command !== undefined) await verifyCommand(command, `${where}, ${claimed}`)
  }
  return [
    '## Claims that do not hold',
    '',
    'Numbers, bounds and theorems that measurement, search or proof contradicts, although no rule fails because of them.',
    '',
    ...all.flatMap(({ claimed, where, instead, shownBy, command }) => [
      `- **${claimed}** (${where}). ${instead} Shown by ${shownBy.map(cited).join('; ')}` +
        `${command === undefined ? '' : `; \`npx turnwise ${command}\``}.`,
    ]),
    '',
  ]
}
