/** Broken rules of the mesh in what would be published: there must be none, and no way to put one in force. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokenKeeping } from '../../packages/mesh/broken/keeping.ts'
import { brokenMeetings } from '../../packages/mesh/broken/meeting.ts'
import { brokenRules } from '../../packages/mesh/broken/rules.ts'
import type { Packed } from './tarballs.ts'

/** The modules whose decisions tests replace. */
const RULES = ['./protocol/rules', './protocol/keeping-rules', './protocol/meeting/meeting-rules']

export function mutantsIn({
  name,
  source,
  files,
  manifest,
}: Pick<Packed, 'name' | 'source' | 'files' | 'manifest'>): string[] {
  // A single word may be there for another reason.
  const names = [...brokenRules, ...brokenKeeping, ...brokenMeetings]
    .map((rule) => rule.name)
    .filter((each) => each.includes('-'))
  const known = new RegExp(`\\b(?:${names.join('|')})\\b`)
  const found = files
    .filter((file) => /\.(?:[cm]?js|d\.ts)$/.test(file))
    .flatMap((file) => {
      const [rule] = known.exec(readFileSync(join(source, file), 'utf8')) ?? []
      return rule === undefined ? [] : [`${file} has the broken rule ${rule}`]
    })
  const open = name === '@turnwise/mesh' ? RULES.filter((module) => manifest.exports[module] !== null) : []
  return [...found, ...open.map((module) => `its exports let ${module} be replaced`)]
}
