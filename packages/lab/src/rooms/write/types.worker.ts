import declared from 'virtual:contract-types'
import { typeChecker } from './type-checker.ts'

/** The text is read here and never runs, so this worker needs no sandbox. */
const check = typeChecker(declared)

self.addEventListener('message', ({ data }: MessageEvent<string>) => {
  self.postMessage({ text: data, faults: check(data) })
})
