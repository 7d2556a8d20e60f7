import type { AnyProtocol } from '@turnwise/core/algorithm'

const catalogue = import.meta.glob(['../../../algorithms/src/*/*.ts'], { query: '?probed' })

/** An algorithm whose lines tell when they run, or a broken variant; loaded alone, or with the other variants. Null if there is none of this name. */
export async function loadProbed(name: string): Promise<AnyProtocol | null> {
  const path = Object.keys(catalogue).find((each) => each.endsWith(`/${name}.ts`))
  if (path === undefined) return (await import('./probed-variants.ts')).probedVariant(name)
  const module = await catalogue[path]?.()
  return Object.values(module ?? {}).find((each) => isNamed(each, name)) ?? null
}

function isNamed(value: unknown, name: string): value is AnyProtocol {
  return (value as Partial<AnyProtocol> | null)?.facts?.name === name
}
