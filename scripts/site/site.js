// The search, the button for light and dark, and the list of documents on a narrow screen. A classic script, as is the index: both
// work from a file too, where a browser loads neither modules nor data.
import MiniSearch from 'minisearch'

const html = document.documentElement
const root = html.dataset.root ?? ''

const scheme = document.querySelector('.scheme')
function showScheme() {
  const isDark = html.dataset.scheme === 'dark'
  scheme.textContent = isDark ? '☀' : '☾'
  scheme.setAttribute('aria-label', isDark ? 'Light colours' : 'Dark colours')
}
scheme.hidden = false
showScheme()
scheme.addEventListener('click', () => {
  html.dataset.scheme = html.dataset.scheme === 'dark' ? 'light' : 'dark'
  showScheme()
  try {
    window.localStorage.setItem('turnwise-scheme', html.dataset.scheme)
  } catch {
    // Then the choice lasts as long as the page.
  }
})

if (window.matchMedia('(max-width: 1000px)').matches) document.querySelector('.documents').open = false

const form = document.querySelector('.search')
const input = form.querySelector('input')
const found = form.querySelector('.found')
const MOST = 12
form.hidden = false

let index = null
/** The index is loaded when somebody first wants to search. */
function loadIndex() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${root}search-index.js`
    script.addEventListener('load', () => resolve(built(window.turnwiseSections)))
    script.addEventListener('error', () => reject(new Error('the index did not load')))
    document.head.append(script)
  })
  return index
}

function built(sections) {
  const search = new MiniSearch({
    fields: ['title', 'heading', 'text'],
    storeFields: ['title', 'heading', 'address'],
    searchOptions: { boost: { title: 3, heading: 4 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  })
  search.addAll(
    sections.map(([address, title, heading, text], id) => ({ id, address, title, heading, text })),
  )
  return search
}

async function show() {
  const words = input.value.trim()
  if (words.length < 2) return hide()
  let results
  try {
    results = (await loadIndex()).search(words)
  } catch (error) {
    found.replaceChildren(said(`The search does not work: ${error.message}.`))
    found.hidden = false
    return
  }
  // The visitor may have gone on typing.
  if (input.value.trim() !== words) return
  const count = results.length === 0 ? `Nothing has "${words}".` : `${results.length} found`
  found.replaceChildren(said(count), ...results.slice(0, MOST).map(link))
  found.hidden = false
}

function said(text) {
  const line = document.createElement('p')
  line.setAttribute('role', 'status')
  line.textContent = text
  return line
}

function link({ address, title, heading }) {
  const line = document.createElement('a')
  line.href = root + address
  line.textContent = heading
  if (heading !== title) {
    const page = document.createElement('small')
    page.textContent = title
    line.append(' ', page)
  }
  return line
}

function hide() {
  found.hidden = true
}

input.addEventListener('focus', () => void loadIndex().catch(() => {}))
input.addEventListener('input', () => void show())
form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
form.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    hide()
    input.focus()
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const stops = [input, ...found.querySelectorAll('a')]
  const by = event.key === 'ArrowDown' ? 1 : -1
  stops[(stops.indexOf(document.activeElement) + by + stops.length) % stops.length].focus()
})
document.addEventListener('click', ({ target }) => {
  if (!form.contains(target) || target.closest('.found a')) hide()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
})
