import { nice, tickStep, ticks } from 'd3-array'
import { format, precisionFixed } from 'd3-format'
import { THIN } from '../../format'
import type { Tick } from './Axis'

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const

/** The end of an axis of bytes, or of bytes each second, from 0 to at least `peak`, and its ticks: round in one unit,
 * all with the same decimals. A part of a byte is none. */
export function byteTicks(
  peak: number,
  about: number,
  each: '' | '/s' = '',
): { readonly top: number; readonly ticks: readonly Tick[] } {
  const end = (power: number) => nice(0, Math.max(peak, 1) / 1024 ** power, about)[1] ?? 1
  // The unit that sentences say the peak in, or the next where the end of the axis would be 1,000 of it.
  const power = Math.max(
    0,
    UNITS.findIndex((_, i) => peak < 999.5 * 1024 ** i && end(i) < 1000),
  )
  const unit = 1024 ** power
  const top = end(power)
  const said = format(`,.${power > 0 ? precisionFixed(tickStep(0, top, about)) : 0}f`)
  return {
    top: top * unit,
    ticks: ticks(0, top, about)
      .filter((tick) => power > 0 || Number.isInteger(tick))
      .map((tick) => ({
        at: tick * unit,
        words: tick === 0 ? '0' : `${said(tick)}${THIN}${UNITS[power]}${each}`,
      })),
  }
}
