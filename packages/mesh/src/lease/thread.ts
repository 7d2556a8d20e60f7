/**
 * The entry of the lease thread. It has its own connections, so that heartbeats come and go while the program's thread is busy.
 * Decisions of the protocol reach it through shared memory.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { tcpSockets } from '../transport/sockets.ts'
import { monotonic } from './clock.ts'
import { News } from './news.ts'
import { type FromSpeaker, Speaker, type SpeakerData, type ToSpeaker } from './speaker.ts'

export type ToThread =
  | ToSpeaker
  /** From now on it speaks for the node. The program has listened at this port until now. */
  | { readonly kind: 'listen'; readonly port: number }
  | { readonly kind: 'close' }

export type FromThread =
  | FromSpeaker
  /** It can begin to speak. */
  | { readonly kind: 'ready'; readonly now: number }
  | { readonly kind: 'listens'; readonly port: number }

const port = parentPort
if (port === null) throw new Error('the lease thread is started by join')
const data = workerData as SpeakerData

function tell(message: FromThread): void {
  port?.postMessage(message)
}

/** A thread loads its own copy of each module, so TLS is loaded only where it is used. */
async function start(): Promise<void> {
  const { security, mesh, leaseMs } = data
  const { tls } = security
  const sockets = tls === null ? tcpSockets : (await import('../transport/tls.ts')).tlsSockets(tls, mesh)
  const news = new News(leaseMs, (messages) => tell({ kind: 'heard', messages }))
  // The worker is what keeps the process alive, or does not.
  const speaker = new Speaker({ ...data, keepAlive: true }, sockets, tell, news)
  port?.on('message', (message: ToThread) => {
    if (message.kind === 'close') void speaker.close().then(() => process.exit())
    else if (message.kind === 'listen')
      void speaker.listen(message.port).then((at) => tell({ kind: 'listens', port: at }))
    else speaker.told(message)
  })
  tell({ kind: 'ready', now: monotonic() })
}

// No top-level await: a bundle that is not an ES module cannot have one. A failure ends the thread, and the program hears of it.
void start()
