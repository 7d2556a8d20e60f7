const channel = new MessageChannel()
channel.port1.start()

/** Lets a worker hear its next task, if there is one. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    channel.port1.addEventListener('message', () => resolve(), { once: true })
    channel.port2.postMessage(null)
  })
}
