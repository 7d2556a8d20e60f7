interface Place {
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

/** From a node's middle past its rim. */
const PAST_RIM = 30
const MARGIN = 8

/**
 * Where something opens for a spot: beside it, so that it stays in sight, on the side where there is room; where neither
 * has, below or above. It is wholly in the window, even if that covers the spot.
 */
export function placeBeside(spot: Place, size: Size, window: Size): Place {
  const within = (place: number, length: number, whole: number): number =>
    Math.max(MARGIN, Math.min(place, whole - length - MARGIN))
  const right = spot.x + PAST_RIM
  const left = spot.x - PAST_RIM - size.width
  const y = within(spot.y - PAST_RIM, size.height, window.height)
  if (right + size.width + MARGIN <= window.width) return { x: right, y }
  if (left >= MARGIN) return { x: left, y }
  const below = spot.y + PAST_RIM
  const isRoomBelow = below + size.height + MARGIN <= window.height
  return {
    x: within(spot.x - size.width / 2, size.width, window.width),
    y: within(isRoomBelow ? below : spot.y - PAST_RIM - size.height, size.height, window.height),
  }
}
