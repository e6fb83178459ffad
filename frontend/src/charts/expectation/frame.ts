import { scaleLog } from 'd3-scale'
import { textWidth } from '../frame/text'
import type { Expected } from './expected'
import { SCALES } from './rates'
import { named } from './words'

const heightFor = (width: number) => (width < 480 ? 260 : 300)
const TOP = 26
export const BOTTOM = 34
export const LEFT = 48

export interface Frame {
  readonly x: (processes: number) => number
  readonly y: (rate: number) => number
  readonly right: number
  readonly height: number
  readonly xTicks: readonly number[]
  readonly yTicks: readonly number[]
}

export function frameOf({ comparison }: Expected, width: number): Frame {
  const rows = comparison.curves.flatMap((curve) => curve.rows)
  const counts = [...rows.map((row) => row.processes), ...comparison.points.map((p) => p.processes)]
  const rates = [
    ...rows.flatMap((row) => [row.rate, row.lower_quartile, row.maximum].filter((r) => r !== null)),
    ...comparison.points.map((p) => p.bytes_per_s),
  ]
  const height = heightFor(width)
  const names = Math.max(...comparison.curves.map((curve) => textWidth(named(curve))))
  const right = width - Math.min(names + 14, width * 0.38)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const spread: [number, number] = least === most ? [least / 2, most * 2] : [least / 1.15, most * 1.1]
  const x = scaleLog(spread, [LEFT, right])
  const y = scaleLog([Math.min(...rates) / 1.4, Math.max(...rates) * 1.3], [height - BOTTOM, TOP])
  const unit = SCALES[comparison.curves[0]?.unit ?? 'MiB/s']
  const [low, high] = y.domain() as [number, number]
  const firsts = high / low < 20 ? [1, 2, 5] : [1, 3]
  const steps = firsts.flatMap((first) => Array.from({ length: 9 }, (_, i) => first * 10 ** (i - 2)))
  return {
    x: (processes) => x(processes),
    y: (value) => y(value),
    right,
    height,
    xTicks: apart(counts, x),
    yTicks: steps.map((tick) => tick * unit).filter((tick) => tick >= low && tick <= high),
  }
}

/** The process counts that have room for their number: those of the points first, then from the least. */
function apart(counts: readonly number[], x: (count: number) => number): number[] {
  const shown: number[] = []
  const room = (n: number) => shown.every((other) => Math.abs(x(n) - x(other)) >= 40)
  const rising = [...new Set(counts)].sort((a, b) => a - b)
  for (const n of [...counts.slice(-1), ...rising]) if (room(n)) shown.push(n)
  return shown
}
