import { meantBy } from '../../analysis/thresholds'
import type { ThresholdInForce } from '../../api/types'
import { exactly } from '../../format'

/** How a threshold is typed: shares in per cent, bytes in the prefix of their default; null where it is out of range. */
export function entryOf(threshold: ThresholdInForce, given: number) {
  const [factor, unit] = entryUnit(threshold)
  const show = (value: number) => String(Number((value / factor).toPrecision(6)))
  const low = Math.min(threshold.minimum, given)
  const high = Math.max(threshold.maximum, given)
  // As it is shown, a bound may be rounded to beyond itself: 1 TiB in MiB to 1048580.
  const bound = new Map([low, high, given].map((value) => [show(value), value]))
  return {
    unit,
    show,
    /** What can be typed: "1 KiB to 1 TiB". */
    takes: `${exactly(low, threshold.unit)} to ${exactly(high, threshold.unit)}`,
    read: (text: string): number | null => {
      const number = Number(text.replace(',', '.'))
      const value = bound.get(String(number)) ?? Number((number * factor).toPrecision(12))
      return text.trim() === '' ? null : meantBy(value, threshold, given)
    },
  }
}

function entryUnit(threshold: ThresholdInForce): readonly [number, string] {
  const { unit } = threshold
  if (unit === 'share') return [0.01, '%']
  if (unit === 'ratio') return [1, '×']
  if (unit === '1') return [1, '']
  if (unit !== 'B' && unit !== 'B/s') return [1, unit]
  const prefixes = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(1, threshold.default)) / 10)))
  return [1024 ** step, `${prefixes[step]}${unit === 'B/s' ? '/s' : ''}`]
}

/** A logarithmic slider that begins at zero has its first thousandth at a millionth of its end. */
const lowest = (t: ThresholdInForce) => (t.minimum > 0 ? t.minimum : t.maximum / 1e6)

export function positionOf(value: number, t: ThresholdInForce): number {
  const share =
    t.scale === 'log'
      ? Math.log(Math.max(value, lowest(t)) / lowest(t)) / Math.log(t.maximum / lowest(t))
      : (value - t.minimum) / (t.maximum - t.minimum)
  return Math.min(1, Math.max(0, share))
}

/** The number of steps of a slider. */
export const STEPS = 1000

export const stepOf = (value: number, t: ThresholdInForce) => Math.round(positionOf(value, t) * STEPS)

/** The value at a step that the slider was moved to. Where that is rounded to the one it has, or back behind it, a key would
 * move nothing, or the wrong way: then the next one that way. */
export function slidTo(step: number, value: number, t: ThresholdInForce): number {
  const onwards = Math.sign(step - stepOf(value, t))
  let at = step
  while (onwards !== 0 && at > 0 && at < STEPS && (valueAt(at / STEPS, t) - value) * onwards <= 0)
    at += onwards
  return valueAt(at / STEPS, t)
}

/** Rounded to three digits, and to whole things where things are counted. */
export function valueAt(position: number, t: ThresholdInForce): number {
  if (position <= 0) return t.minimum
  if (position >= 1) return t.maximum
  const raw =
    t.scale === 'log'
      ? lowest(t) * (t.maximum / lowest(t)) ** position
      : t.minimum + position * (t.maximum - t.minimum)
  const counted = t.maximum > 20 && !['1', 'share', 'ratio', 's', 'B/s'].includes(t.unit)
  const rounded = counted ? Math.round(Number(raw.toPrecision(3))) : Number(raw.toPrecision(3))
  return Math.min(t.maximum, Math.max(t.minimum, rounded))
}
