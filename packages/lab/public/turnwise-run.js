/**
 * <turnwise-run run="#/theatre?algorithm=raymond&nodes=7"></turnwise-run>: a run of the lab in a page of yours. `run` is the address of a run from its
 * `#` on, `height` a number of pixels. Scripts call play(), pause(), step(by) and seek(to), and hear the event `moment`, whose detail has
 * position, of, isPlaying and sentence.
 */
;(() => {
  const page = new URL('./', document.currentScript.src).href

  class TurnwiseRun extends HTMLElement {
    static observedAttributes = ['run', 'height']
    #frame = null
    #hear = ({ source, origin, data }) => {
      if (source !== this.#frame?.contentWindow || origin !== new URL(page).origin) return
      if (data?.turnwise !== 'moment') return
      const { position, of, isPlaying, sentence } = data
      this.dispatchEvent(new CustomEvent('moment', { detail: { position, of, isPlaying, sentence } }))
    }

    connectedCallback() {
      this.#frame = document.createElement('iframe')
      this.#frame.title = this.getAttribute('title') ?? 'A run of turnwise'
      this.#frame.loading = 'lazy'
      this.#frame.style.cssText = 'display: block; width: 100%; border: 0'
      if (getComputedStyle(this).display === 'inline') this.style.display = 'block'
      this.#show()
      this.append(this.#frame)
      window.addEventListener('message', this.#hear)
    }

    disconnectedCallback() {
      window.removeEventListener('message', this.#hear)
      this.#frame?.remove()
      this.#frame = null
    }

    attributeChangedCallback() {
      if (this.#frame !== null) this.#show()
    }

    #show() {
      // A page that was opened from a file has no origin to name, and its run cannot be controlled.
      const control = window.origin === 'null' ? '' : `&control=${encodeURIComponent(window.origin)}`
      const run = this.getAttribute('run') ?? ''
      const height = Number(this.getAttribute('height')) || 520
      this.#frame.height = String(height)
      this.#frame.src = `${page}?embed=1${control}${run.startsWith('#') ? run : `#${run}`}`
    }

    #say(order) {
      this.#frame?.contentWindow?.postMessage(order, new URL(page).origin)
    }

    play() {
      this.#say({ turnwise: 'play' })
    }

    pause() {
      this.#say({ turnwise: 'pause' })
    }

    step(by = 1) {
      this.#say({ turnwise: 'step', by })
    }

    seek(to) {
      this.#say({ turnwise: 'seek', to })
    }
  }

  if (customElements.get('turnwise-run') === undefined) customElements.define('turnwise-run', TurnwiseRun)
})()
