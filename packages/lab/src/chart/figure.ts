/** A row of small charts that share their series, and so share one legend. */
export interface Figure {
  title: string
  subtitle?: string
  /** How many panels stand side by side, if there is room. @default what looks well */
  columns?: number
  /** The pixels that there are for it: it grows and shrinks to that width. @default as wide as it needs */
  width?: number
  panels: Panel[]
}

/** One chart. */
export interface Panel {
  title: string
  /** With its unit, as in `number of nodes`. */
  xLabel: string
  /** With its unit, as in `response time (T)`. */
  yLabel: string
  /**
   * A list of names makes x a position in that list (0 is the first name) instead of a quantity.
   * @default 'numeric'
   */
  xTicks?: 'numeric' | string[]
  /** What an empty panel says instead of showing nothing. @default 'no data' */
  absence?: string
  /** A series without a drawable point is left out of the panel, its theory too. */
  series: Series[]
}

export interface Series {
  /** The same name in two panels is the same series, and must carry the same `colourIndex`. */
  name: string
  /** Position in the fixed sequence of colours and marker shapes: 0, 1, 2, ... */
  colourIndex: number
  points: Point[]
  /** What the literature predicts: a thin dashed line. */
  theory?: Place[]
}

export interface Place {
  x: number
  /** A y that is not finite was not measured: it breaks the line. */
  y: number
}

/** A measured value, with the ends of its interval where they are known. */
export interface Point extends Place {
  low?: number
  high?: number
  /** The run broke a promise, so that its cost says little: marked as such. */
  failed?: boolean
}

export const isDrawable = ({ x, y }: Place): boolean => Number.isFinite(x) && Number.isFinite(y)

/** The ends of a point's interval, if it has one. An end that is not given is the value itself. */
export function intervalOf({ y, low, high }: Point): { low: number; high: number } | undefined {
  const from = low !== undefined && Number.isFinite(low) ? low : y
  const to = high !== undefined && Number.isFinite(high) ? high : y
  return from < to ? { low: from, high: to } : undefined
}

/** From left to right. A place without x is nowhere; one without y stays, to break the line there. */
export function inOrder<P extends Place>(places: P[]): P[] {
  return places.filter(({ x }) => Number.isFinite(x)).toSorted((one, other) => one.x - other.x)
}

/** The series that a panel draws. */
export function drawnSeries(panel: Panel): Series[] {
  return panel.series.filter((series) => series.points.some(isDrawable))
}

/** Every series of the figure once, in order of first appearance. */
export function distinctSeries(figure: Figure): Series[] {
  const byName = new Map<string, Series>()
  for (const series of figure.panels.flatMap((panel) => panel.series)) {
    const known = byName.get(series.name)
    if (known === undefined) byName.set(series.name, series)
    else if (known.colourIndex !== series.colourIndex) {
      throw new Error(
        `Expected one colourIndex for series '${series.name}', got ${known.colourIndex} and ${series.colourIndex}`,
      )
    }
  }
  return [...byName.values()]
}
