/** A broken variant in words: "Raymond tree: forgets to ask". Its name begins like that of the algorithm, and then says what is broken. */
export function variantTitle({
  algorithm: { facts },
  of,
}: {
  readonly algorithm: { readonly facts: { readonly name: string; readonly title: string } }
  readonly of: string
}): string {
  const own = of.split('-')
  const words = facts.name.split('-')
  const broken = words.slice(words.findIndex((word, place) => word !== own[place]))
  return `${facts.title}: ${broken.join(' ')}`
}
