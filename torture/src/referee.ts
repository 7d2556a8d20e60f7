/**
 * The entry of the referee's process. It owns a register for each name and the log: whatever the nodes tell over their
 * connections is written down in the order in which it is heard, together with what the register made of it.
 */
import { openSync, writeSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { get } from '@turnwise/core/bounds'
import { Register } from './fenced-register.ts'
import { eachLine } from './referee-line.ts'
import type { Access, Entry, Hello, Order, Reply, Report } from './torture-messages.ts'

const path = get(process.argv, 2)
const log = openSync(path, 'a')
const registers = new Map<string, Register>()

process.on('disconnect', () => process.exit())
if (!process.connected) process.exit()

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  let who: Hello | null = null
  eachLine(socket, (line) => {
    const said = JSON.parse(line) as Hello | Report | Access | Order
    if (who === null) who = said as Hello
    else if (who.id === null) write(said as Order)
    else hear(socket, who.id, who.life, said as Report | Access)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

function hear(socket: Socket, id: string, life: number, said: Report | Access): void {
  if (said.is !== 'reads' && said.is !== 'writes') return write({ id, life, ...said })
  const outcome = registerOf(said.name).access(said)
  // In the log before anybody can act on it.
  write({ id, life, ...said, ...outcome })
  const reply: Reply = { turn: said.turn, ...outcome }
  if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`)
}

function registerOf(name: string): Register {
  const register = registers.get(name) ?? new Register()
  registers.set(name, register)
  return register
}

function write(entry: Entry): void {
  writeSync(log, `${JSON.stringify(entry)}\n`)
}
