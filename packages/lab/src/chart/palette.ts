import { get } from '@turnwise/core/bounds'
import {
  type SymbolType,
  symbol,
  symbolAsterisk,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolPlus,
  symbolSquare,
  symbolStar,
  symbolTimes,
  symbolTriangle,
  symbolWye,
} from 'd3-shape'

/**
 * Okabe and Ito's colours without their yellow, which a thin line on white cannot carry (1.3:1). The ten
 * that follow were picked for contrast (3:1 or more) and for their distance from all before them, also as
 * seen with protanopia and deuteranopia; their order keeps colours that share a shape far apart.
 */
const okabeIto = '0072B2 D55E00 009E73 CC79A7 E69F00 56B4E9 000000'.split(' ')
const further = '225555 EE6677 663333 994F00 5D3A9B 666666 332288 222255 1A85FF AA4499'.split(' ')
const colours = [...okabeIto, ...further].map((digits) => `#${digits}`)

/** The same hues for a dark ground, each 4.5:1 against #1c2024 or more. */
const onDark =
  '3D8FD1 E86F24 2CB084 CC79A7 E69F00 8FD0F5 EEEEEE 7DC0BF EE6677 EB9E9C C98A4B B79AFE A5A5A5 8E8CF0 C9CDF5 4496FF DD73C9'
    .split(' ')
    .map((digits) => `#${digits}`)

/** A style sheet that gives the figures below `ground` their dark colours. A figure by itself has none: it is saved as it is. */
export function darkStyles(ground: string): string {
  return colours
    .map((light, index) =>
      ['stroke', 'fill'].map((what) => `${ground} [${what}="${light}"]{${what}:${onDark[index]}}`).join(''),
    )
    .join('')
}

interface Shape {
  type: SymbolType
  /** d3 sizes symbols by area; drawn at equal area a plus looks twice as large as a circle. */
  area: number
}

const shapes: Shape[] = [
  { type: symbolCircle, area: 44 },
  { type: symbolSquare, area: 44 },
  { type: symbolTriangle, area: 44 },
  { type: symbolDiamond, area: 40 },
  { type: symbolTimes, area: 40 },
  { type: symbolStar, area: 36 },
  { type: symbolPlus, area: 40 },
  { type: symbolWye, area: 48 },
  { type: symbolAsterisk, area: 64 },
  { type: symbolCross, area: 44 },
]

export interface Mark {
  colour: string
  /** Path of the marker around the origin. */
  path: string
}

/**
 * Colour and shape of a series. The 17 colours and 10 shapes have no common divisor, so the first 170
 * series differ in at least one of the two, and the first seven differ in both.
 */
export function markOf(colourIndex: number): Mark {
  if (!Number.isInteger(colourIndex) || colourIndex < 0) {
    throw new RangeError(`Expected colourIndex to be a whole number from 0, got ${colourIndex}`)
  }
  const { type, area } = get(shapes, colourIndex % shapes.length)
  return { colour: get(colours, colourIndex % colours.length), path: symbol(type, area).digits(2)() ?? '' }
}
