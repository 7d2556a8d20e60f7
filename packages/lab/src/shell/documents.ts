/** Where a document of the site is, if the page is a part of the site: behind `turnwise up` there are none. */
export function documentsAt(path: string): string | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="turnwise-documents"]')
  return meta === null ? null : `${meta.content}${path}`
}
