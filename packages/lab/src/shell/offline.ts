import { isEmbedded } from './embedding.ts'

/** Has the browser keep the page, so that it works without its server. Later than the first picture, which it would slow down. */
export function keepForOffline(): void {
  // A server of the sources changes with every edit, and pages from a file or over plain HTTP have no service workers.
  // In a frame it is a guest.
  if (isEmbedded || !import.meta.env.PROD || !('serviceWorker' in navigator)) return
  window.addEventListener('load', () => {
    navigator.serviceWorker.register(`./service-worker.js${window.location.search}`).catch(() => {
      // Then the page needs its server, as it did before.
    })
  })
}
