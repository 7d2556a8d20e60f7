import type { DiagramColours } from './spacetime-shapes.ts'

/** Colours of a scheme for pictures that leave the page. `tokens` is the style sheet that has them. */
export function schemeColours(
  tokens: string,
  scheme: 'light' | 'dark',
): DiagramColours & { readonly surface: string } {
  const [, rule = ''] = new RegExp(`\\[data-scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(tokens) ?? []
  const colour = (name: string) => {
    const [, value] = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(rule) ?? []
    if (value === undefined) throw new Error(`the style sheet has no colour ${name}`)
    return value
  }
  return {
    ink: colour('ink'),
    muted: colour('muted'),
    line: colour('line'),
    edge: colour('edge'),
    accent: colour('accent'),
    fails: colour('fails'),
    surface: colour('surface'),
    hues: [1, 2, 3, 4, 5, 6].map((hue) => colour(`hue-${hue}`)),
    face: 'system-ui, sans-serif',
  }
}
