import type { TextStyle } from './text.ts'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Three sizes of text for the whole figure. */
export const titleText: TextStyle = { size: 17, bold: true }
export const panelTitleText: TextStyle = { size: 13, bold: true }
export const bodyText: TextStyle = { size: 13 }
export const tickText: TextStyle = { size: 11 }

/** Dark text keeps 4.5:1 on white and more; the grid is there only when looked for. */
export const ink = { text: '#1a1a1a', quiet: '#555555', axis: '#767676', grid: '#e6e6e6' }

/** Names with spaces need no quotes here, which would have to be escaped in an attribute. */
export const fontFamily = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'

export const lineHeight = 20
export const tickLength = 4
