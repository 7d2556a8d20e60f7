function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

/** A frame with the run of this address. `page` is the address of the page up to the `#`. */
export function frameText(page: string, hash: string): string {
  const source = attribute(`${page}?embed=1${hash}`)
  return `<iframe src="${source}" title="A run of turnwise" width="100%" height="520" loading="lazy" style="border: 0"></iframe>`
}

/** The same as an element, with the script that defines it. */
export function elementText(page: string, hash: string): string {
  const folder = page.replace(/[^/]*$/, '')
  return `<script src="${attribute(folder)}turnwise-run.js" defer></script>\n<turnwise-run run="${attribute(hash)}"></turnwise-run>`
}
