import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Answer, answering, type Searching } from './answer.ts'
import { instanceOf, type Question } from './check-question.ts'

export type CheckMessage = Searching | Answer | { readonly is: 'complaint'; readonly text: string }

const TELL_EVERY_MS = 100

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  const tell = (message: CheckMessage) => self.postMessage(message)
  try {
    const steps = answering(instanceOf(data))
    let toldAt = 0
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return tell(value)
      if (performance.now() - toldAt < TELL_EVERY_MS) continue
      toldAt = performance.now()
      tell(value)
    }
  } catch (error) {
    tell({ is: 'complaint', text: error instanceof InvalidInput ? error.message : String(error) })
  }
})
