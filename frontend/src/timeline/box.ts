/** A window of the plane: seconds across, and ranks or bytes of a file down; the high ends are not included. */
export interface Box {
  readonly t0: number
  readonly t1: number
  readonly y0: number
  readonly y1: number
}

/** How far one can go into it: the shortest stretch of time and the fewest rows. */
export interface Least {
  readonly t: number
  readonly y: number
}

/** Within `full`, no smaller than `least`; where it reaches out it is moved, not cut. */
export function clamped(box: Box, full: Box, least: Least): Box {
  const [t0, t1] = within(box.t0, box.t1, full.t0, full.t1, least.t)
  const [y0, y1] = within(box.y0, box.y1, full.y0, full.y1, least.y)
  return { t0, t1, y0, y1 }
}

function within(
  low: number,
  high: number,
  from: number,
  to: number,
  least: number,
): readonly [number, number] {
  const length = Math.min(to - from, Math.max(least, high - low))
  const middle = (low + high) / 2
  const start = high - low < least ? middle - length / 2 : low
  const at = Math.min(Math.max(start, from), to - length)
  return [at, at + length]
}

/** Larger or smaller by a factor about a point that stays where it is; factors below 1 go nearer. */
export function zoomed(box: Box, point: { t: number; y: number }, byTime: number, byRows: number): Box {
  return {
    t0: point.t - (point.t - box.t0) * byTime,
    t1: point.t + (box.t1 - point.t) * byTime,
    y0: point.y - (point.y - box.y0) * byRows,
    y1: point.y + (box.y1 - point.y) * byRows,
  }
}

/** Moved by shares of its own width and height. */
export function moved(box: Box, across: number, down: number): Box {
  const t = (box.t1 - box.t0) * across
  const y = (box.y1 - box.y0) * down
  return { t0: box.t0 + t, t1: box.t1 + t, y0: box.y0 + y, y1: box.y1 + y }
}

export const middle = (box: Box) => ({ t: (box.t0 + box.t1) / 2, y: (box.y0 + box.y1) / 2 })

export const contains = (outer: Box, inner: Box): boolean =>
  outer.t0 <= inner.t0 && outer.t1 >= inner.t1 && outer.y0 <= inner.y0 && outer.y1 >= inner.y1

export const same = (a: Box, b: Box): boolean =>
  a.t0 === b.t0 && a.t1 === b.t1 && a.y0 === b.y0 && a.y1 === b.y1

/** The box that a key asks for, or null where the key is not one of the plane's. */
export function boxOfKey(key: string, shift: boolean, box: Box, full: Box): Box | null {
  const centre = middle(box)
  const by = (factor: number) => (shift ? zoomed(box, centre, 1, factor) : zoomed(box, centre, factor, 1))
  switch (key) {
    case 'ArrowLeft':
      return moved(box, -0.2, 0)
    case 'ArrowRight':
      return moved(box, 0.2, 0)
    case 'ArrowUp':
      return moved(box, 0, -0.2)
    case 'ArrowDown':
      return moved(box, 0, 0.2)
    case '+':
    case '=':
    case '*':
      return by(0.5)
    case '-':
    case '_':
      return by(2)
    case '0':
    case 'Home':
      return full
    default:
      return null
  }
}
