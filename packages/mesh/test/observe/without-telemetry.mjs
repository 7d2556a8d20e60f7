// A program that has no @opentelemetry/api: an import of it fails, and is counted.
import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const hooks = `
let port
export function initialize(data) { port = data.port }
export function resolve(specifier, context, next) {
  if (specifier !== '@opentelemetry/api') return next(specifier, context)
  port.postMessage('asked')
  throw Object.assign(new Error("Cannot find package '@opentelemetry/api'"), { code: 'ERR_MODULE_NOT_FOUND' })
}`
const { port1, port2 } = new MessageChannel()
register(`data:text/javascript,${encodeURIComponent(hooks)}`, {
  data: { port: port2 },
  transferList: [port2],
})

const { join } = await import('@turnwise/mesh/join')

async function turnWith(options) {
  const told = []
  const note = (details, event) => {
    if (event === 'no telemetry') told.push(details.reason)
  }
  const mesh = await join({ ...options, log: { debug: note, info: note, warn: note, error: note } })
  ;(await mesh.locks.acquire('x')).release()
  const [{ turns }] = mesh.metrics().prefixes
  await mesh.leave()
  return { turns, told, asked: receiveMessageOnPort(port1) !== undefined }
}

const none = await turnWith({})
const auto = await turnWith({ telemetry: 'auto' })
console.log(JSON.stringify({ auto, none }))
port1.close()
