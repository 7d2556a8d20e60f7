/** One of the processes that exchange as many messages as an idle mesh does: the least that such messages cost. */

import { type AddressInfo, connect, createServer } from 'node:net'
import { answerBy } from '@turnwise/fleet/program-answers'
import { standing } from './processor.ts'
import type { Command } from './talk.ts'

/** About as long as a heartbeat, and as an ack with a heartbeat. */
const QUESTION = Buffer.alloc(120, 1)
const ANSWER = Buffer.alloc(180, 2)

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', () => socket.write(ANSWER))
})

answerBy((command: Command) => {
  switch (command.do) {
    case 'listen':
      return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      })
    case 'exchange': {
      const sockets = command.ports.map((port) =>
        connect({ port, host: '127.0.0.1', noDelay: true }).resume(),
      )
      setInterval(() => {
        for (const socket of sockets) socket.write(QUESTION)
      }, command.every)
      return
    }
    case 'usage':
      return standing()
  }
})
