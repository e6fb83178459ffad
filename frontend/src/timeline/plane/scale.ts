import type { Box } from '../box'

/** From the data to pixels, and back. */
export type Scale = { (value: number): number; invert: (pixel: number) => number }

/** Where a box stands in the window, cut at its edges. */
export function placed(of: Box, x: Scale, y: Scale, width: number, height: number) {
  const left = Math.max(-2, x(of.t0))
  const top = Math.max(-2, y(of.y0))
  return {
    left,
    top,
    width: Math.max(0, Math.min(width + 2, x(of.t1)) - left),
    height: Math.max(0, Math.min(height + 2, y(of.y1)) - top),
  }
}
