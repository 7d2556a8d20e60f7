import { type DiagramColours, diagramColours } from './spacetime-frame.ts'

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
  return { ...diagramColours(colour, 'system-ui, sans-serif'), surface: colour('surface') }
}
