import { randomStream } from '@turnwise/core/random'
import { classicsFor } from '@turnwise/core/structure/classics-for'
import { type Design, design, type Wanted } from '@turnwise/core/structure/design'

export interface DesignOrder {
  readonly wanted: Wanted
  readonly seed: number
}

export type Designed =
  | { readonly is: 'progress'; readonly share: number }
  | { readonly is: 'found'; readonly design: Design | null }

self.addEventListener('message', ({ data: { wanted, seed } }: MessageEvent<DesignOrder>) => {
  const tell = (designed: Designed) => self.postMessage(designed)
  const beginnings = classicsFor(wanted.demand).map(({ structure }) => structure)
  const steps = design(wanted, beginnings, randomStream(seed, 'design'))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return tell({ is: 'found', design: value })
    tell({ is: 'progress', share: value })
  }
})
