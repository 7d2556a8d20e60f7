/**
 * Keeps the files of one build of the page, so that it works without its server once it was loaded: offline, after
 * `turnwise up` has ended, and while a newer build is being deployed. The page itself is asked for first, so that a new
 * build is seen at the next visit; what has its hash in its name never changes and comes from here. All else (the live
 * view, orders, recordings) is none of its business. Large files that few need are kept when they are first used.
 * `offline.ts` fills in the build.
 */
const BUILD = '__BUILD__'
const FILES = __FILES__
const LATER = __LATER__
const CACHE = `turnwise-lab ${self.registration.scope} ${BUILD}`
const PAGE = new URL('./', self.location.href).href
const kept = new Set(FILES.map((file) => new URL(file, PAGE).href))
const keptLater = new Set(LATER.map((file) => new URL(file, PAGE).href))

self.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE)
      // Beyond this machine the page asks for a token, which is in the address of this script too.
      const page = await fetch(`${PAGE}${self.location.search}`)
      if (!page.ok) throw new Error(`the page answers ${page.status}`)
      await Promise.all([cache.put(PAGE, page), cache.addAll([...kept])])
    })(),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const mine = `turnwise-lab ${self.registration.scope} `
      const old = (await caches.keys()).filter((name) => name.startsWith(mine) && name !== CACHE)
      await Promise.all(old.map((name) => caches.delete(name)))
      // The page that brought it here is served by it too.
      await self.clients.claim()
    })(),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const address = request.url.replace(/[?#].*/s, '')
  if (request.method !== 'GET') return
  if (kept.has(address)) event.respondWith(fromCache(address, request))
  else if (keptLater.has(address)) event.respondWith(keepWhenUsed(address, request))
  else if (request.mode === 'navigate' && (address === PAGE || address === `${PAGE}index.html`))
    event.respondWith(fetch(request).catch(() => fromCache(PAGE, request)))
})

async function fromCache(address, request) {
  const cache = await caches.open(CACHE)
  return (await cache.match(address)) ?? fetch(request)
}

async function keepWhenUsed(address, request) {
  const cache = await caches.open(CACHE)
  const known = await cache.match(address)
  if (known !== undefined) return known
  const answer = await fetch(request)
  if (answer.ok) await cache.put(address, answer.clone())
  return answer
}
