/** The list of all algorithms by family and year, each with its idea. */
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import type { AnyProtocol } from '@turnwise/core/algorithm'

const FAMILIES: Readonly<Record<AnyProtocol['facts']['family'], string>> = {
  permission: 'Permission: all other nodes decide',
  token: 'Token: the node that has the one token is inside',
  quorum: 'Quorum: a quorum of the nodes decides',
  multi: 'Several inside together, or several resources',
  zones: 'Zones',
  election: 'Elections',
}

export function catalogueText(): string {
  const all: readonly AnyProtocol[] = [...catalogue, ...elections]
  return [
    '# The algorithms',
    '',
    `${all.length} algorithms, each with its idea, a run, its cost, what was checked and proved, and its file. [One table of all](../docs/algorithms.md) compares them; ` +
      '[the lab](../lab/index.html) plays them.',
    '',
    ...Object.entries(FAMILIES).flatMap(([family, title]) => [
      `## ${title}`,
      '',
      ...all
        .filter(({ facts }) => facts.family === family)
        .toSorted((a, b) => a.facts.year - b.facts.year)
        .map(
          ({ facts }) =>
            `- **[${facts.title}](${facts.name}.html)** (${facts.year}, \`${facts.name}\`). ${facts.idea}`,
        ),
      '',
    ]),
  ].join('\n')
}
