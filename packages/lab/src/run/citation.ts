/** A source as sentences name it: "ricart-agrawala-1981 §2.2" becomes "Ricart and Agrawala 1981, §2.2". */
export function citation(text: string): string {
  return text.replace(/\b([a-z]+(?:-[a-z]+)*)-(\d{4})(,?)/g, (_, names: string, year: string) => {
    const authors = names.split('-').map((name) => name.charAt(0).toUpperCase() + name.slice(1))
    const last = authors.pop() ?? ''
    return `${authors.length === 0 ? last : `${authors.join(', ')} and ${last}`} ${year},`
  })
}
