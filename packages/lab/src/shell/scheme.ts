import { useEffect, useState } from 'react'

/** Light or dark: what the system prefers until somebody chooses. */
export type Scheme = 'light' | 'dark'

const CHOSEN = 'turnwise-scheme'

function chosen(): Scheme | null {
  try {
    const text = window.localStorage.getItem(CHOSEN)
    return text === 'light' || text === 'dark' ? text : null
  } catch {
    // Storage can be forbidden; then the choice lasts as long as the page.
    return null
  }
}

export function useScheme(): { scheme: Scheme; toggle: () => void } {
  const [scheme, setScheme] = useState<Scheme>(
    () => chosen() ?? (window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'),
  )
  useEffect(() => {
    document.documentElement.dataset['scheme'] = scheme
  }, [scheme])
  const toggle = () => {
    const next = scheme === 'dark' ? 'light' : 'dark'
    setScheme(next)
    try {
      window.localStorage.setItem(CHOSEN, next)
    } catch {
      // See above.
    }
  }
  return { scheme, toggle }
}
