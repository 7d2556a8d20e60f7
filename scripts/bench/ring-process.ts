/** One of the processes round which a bare token is passed: the least that one byte from process to process costs. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { answerBy } from '@turnwise/fleet/program-answers'
import { spentWithin } from './processor.ts'
import { type Command, now, type Passed, type Span } from './talk.ts'

const TOKEN = Buffer.from([1])

let before: Socket | null = null
let next: Socket | null = null
const server = createServer({ noDelay: true }, (socket) => {
  before = socket
})

async function pass(span: Span, isFirst: boolean): Promise<Passed> {
  const spent = spentWithin(span)
  let turns = 0
  before?.removeAllListeners('data').on('data', () => {
    const at = now()
    if (at >= span.until) return
    if (at >= span.from) turns += 1
    next?.write(TOKEN)
  })
  if (isFirst) next?.write(TOKEN)
  await pause(span.until - now() + 50)
  return { turns, ...(await spent) }
}

answerBy((command: Command) => {
  switch (command.do) {
    case 'listen':
      return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      })
    case 'connect':
      return new Promise<void>((resolve) => {
        const socket = connect({ port: command.port, host: '127.0.0.1', noDelay: true }, resolve)
        next = socket
      })
    case 'pass':
      return pass(command.span, command.isFirst)
  }
})
