/** Broken rules of the mesh in what would be published: there must be none, and no way to put one in force. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokenRules } from '../../packages/mesh/broken/rules.ts'
import type { Packed } from './tarballs.ts'

/** The module whose decisions tests replace. */
const RULES = './protocol/rules'

export function mutantsIn({
  name,
  source,
  files,
  manifest,
}: Pick<Packed, 'name' | 'source' | 'files' | 'manifest'>): string[] {
  const names = brokenRules.map((rule) => rule.name)
  const known = new RegExp(`\\b(?:${names.join('|')})\\b`)
  const found = files
    .filter((file) => /\.(?:[cm]?js|d\.ts)$/.test(file))
    .flatMap((file) => {
      const [rule] = known.exec(readFileSync(join(source, file), 'utf8')) ?? []
      return rule === undefined ? [] : [`${file} has the broken rule ${rule}`]
    })
  const isOpen = name === '@turnwise/mesh' && manifest.exports[RULES] !== null
  return isOpen ? [...found, `its exports let ${RULES} be replaced`] : found
}
