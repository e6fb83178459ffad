import css from '../frame/marks.module.css'
import { textWidth } from '../frame/text'
import type { Geometry } from './geometry'
import { MIB, type Slot } from './sizes'
import { short } from './words'

export function Edges({ slots, geometry, y }: { slots: readonly Slot[]; geometry: Geometry; y: number }) {
  const { left, band } = geometry
  let last = Number.NEGATIVE_INFINITY
  return (
    <g>
      {slots.map((slot, i) => {
        const exact = slot.low === slot.high
        // The edge before and after "exactly 1 MiB" is the same number: say it once, under its column.
        if (!exact && slots[i - 1]?.low === MIB) return null
        const text = exact ? `= ${short(slot.low)}` : short(slot.low)
        const x = left + (exact ? i + 0.5 : i) * band
        const room = textWidth(text) / 2
        if (x - room < last + 4) return null
        last = x + room
        return (
          <text
            key={`${slot.low}-${slot.high}`}
            className={exact ? css.label : ''}
            x={x}
            y={y}
            textAnchor="middle"
          >
            {text}
          </text>
        )
      })}
      <text x={geometry.width - 4} y={y} textAnchor="end">
        B
      </text>
    </g>
  )
}
