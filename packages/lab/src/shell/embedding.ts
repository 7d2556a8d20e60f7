/**
 * A page of others may show a run in a frame: `?embed=1` before the `#` leaves bars and settings out. It stands there, and not behind the `#`,
 * since it says how the page is shown and not what, and stays when the run changes.
 */
export const isEmbedded: boolean = new URLSearchParams(window.location.search).get('embed') === '1'
if (isEmbedded) document.documentElement.dataset['embed'] = ''
