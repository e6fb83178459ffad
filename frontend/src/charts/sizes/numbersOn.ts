import { textWidth } from '../frame/text'

/** A bar and the number that may stand on its end. */
export interface Bar {
  readonly x: number
  readonly wide: number
  readonly tall: number
  readonly words: string
}

/** The height of a number, and how far from its bar's end it begins. */
const LETTERS = 10
export const FROM_BAR = 5
/** Between two numbers, and between a number and what else is drawn. */
const CLEAR = 3

/** Where the numbers on bars begin, for those that have room: those of the tallest bars first, and none on another bar, on
 * another number, on the line of the stripe, on the axis at the left or beyond the drawing. */
export function numbersOn(
  bars: readonly Bar[],
  stripe: number | null,
  [first, end]: readonly [left: number, right: number],
): ReadonlyMap<Bar, number> {
  const said = new Map<Bar, number>()
  const taken = bars.map(({ x, wide, tall }) => ({ bar: x, from: x, to: x + wide, low: 0, high: tall }))
  for (const one of [...bars].sort((a, b) => b.tall - a.tall)) {
    const half = textWidth(one.words) / 2
    const centre = one.x + one.wide / 2
    const low = one.tall + FROM_BAR
    const free = (from: number) =>
      from >= first &&
      from + 2 * half <= end &&
      (stripe === null || from > stripe + CLEAR || from + 2 * half < stripe - CLEAR) &&
      taken.every(
        (other) =>
          other.bar === one.x ||
          from >= other.to + CLEAR ||
          from + 2 * half <= other.from - CLEAR ||
          low >= other.high + CLEAR ||
          low + LETTERS <= other.low - CLEAR,
      )
    // Beside the line of the stripe where that crosses its place, if that is still at its bar.
    const beside = stripe === null ? [] : [stripe + CLEAR + 2, stripe - CLEAR - 2 - 2 * half]
    const gapTo = (from: number) => Math.max(from - centre, centre - (from + 2 * half), 0)
    const places = [
      Math.max(first, centre - half),
      ...beside.filter((from) => gapTo(from) <= one.wide / 2 + 8),
    ]
    const from = places.find(free)
    if (from === undefined) continue
    said.set(one, from)
    taken.push({ bar: Number.NaN, from, to: from + 2 * half, low, high: low + LETTERS })
  }
  return said
}
