import { count } from '../../format'
import { Axis } from '../frame/Axis'
import { useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'
import { textWidth } from '../frame/text'
import { type Geometry, heightsOf } from './geometry'
import { FROM_BAR, numbersOn } from './numbersOn'
import type { Half } from './sizes'
import { rangeWords } from './words'

export function Columns({
  half,
  geometry,
  base,
  stripe,
  up,
}: {
  half: Half
  geometry: Geometry
  base: number
  /** Where the line of the stripe size stands: no number lies on it. */
  stripe: number | null
  up: boolean
}) {
  const mark = useMarks()
  const { left, band, width } = geometry
  const { scale, ticks } = heightsOf(half)
  const both = half.slots.some((s) => s.read > 0) && half.slots.some((s) => s.write > 0)
  const gap = Math.min(5, band * 0.12)
  const y = (v: number) => (up ? base - scale(v) : base + scale(v))
  const each = (band - 2 * gap) / (both ? 2 : 1)
  const bars = half.slots.flatMap((slot, i) =>
    (['write', 'read'] as const)
      .filter((kind) => slot[kind] > 0)
      .map((kind) => ({
        slot,
        kind,
        value: slot[kind],
        x: left + i * band + gap + (both && kind === 'read' ? each : 0),
        wide: Math.max(2, each - 1),
        tall: Math.max(1.5, scale(slot[kind])),
        words: count(slot[kind]),
      })),
  )
  const numbers = numbersOn(bars, stripe, [left, width])
  return (
    <g>
      <Axis
        side="left"
        edge={left}
        scale={y}
        ticks={ticks.map((at) => ({ at, words: at > 0 ? count(at) : '' }))}
        grid={[left, width - 4]}
      />
      {bars.map((bar) => {
        const { slot, kind, value, x, wide, tall, words } = bar
        return (
          <rect
            key={`${slot.low}-${slot.high}${kind}`}
            {...mark({ kind: 'direction', id: kind }, css[kind])}
            x={x}
            y={up ? base - tall : base}
            width={wide}
            height={tall}
          >
            <title>{`${words} ${value === 1 ? kind : `${kind}s`}, ${rangeWords(slot)}`}</title>
          </rect>
        )
      })}
      {bars.map((bar) => {
        const from = numbers.get(bar)
        return from === undefined ? null : (
          <text
            key={`${bar.slot.low}-${bar.slot.high}${bar.kind}`}
            className={css.label}
            x={from + textWidth(bar.words) / 2}
            y={up ? base - bar.tall - FROM_BAR : base + bar.tall + FROM_BAR + 7}
            textAnchor="middle"
          >
            {bar.words}
          </text>
        )
      })}
    </g>
  )
}
