// Before anything is drawn: the colours that the visitor chose here or in the lab, or those of the system.
;(() => {
  let chosen = null
  try {
    chosen = window.localStorage.getItem('turnwise-scheme')
  } catch {
    // Storage can be forbidden.
  }
  const isDark = window.matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.scheme =
    chosen === 'light' || chosen === 'dark' ? chosen : isDark ? 'dark' : 'light'
})()
