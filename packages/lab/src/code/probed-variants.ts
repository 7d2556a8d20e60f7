import type { BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { AnyProtocol } from '@turnwise/core/algorithm'

const files = import.meta.glob(
  ['../../../algorithms/broken/*.ts', '!../../../algorithms/broken/gallery.ts'],
  {
    eager: true,
    query: '?probed',
  },
)

/** Null if there is no broken variant of this name. */
export function probedVariant(name: string): AnyProtocol | null {
  const module = Object.entries(files).find(([path]) => path.endsWith(`/${name}.ts`))?.[1]
  const variant = module?.['variant'] as BrokenVariant<AnyProtocol> | undefined
  return variant?.algorithm ?? null
}
