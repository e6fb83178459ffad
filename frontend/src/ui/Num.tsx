import type { Unit } from '../api/types'
import { quantity, THIN } from '../format'

/** A number with its unit apart; the exact value on hover and for screen readers. */
export function Num({ value, unit }: { value: number | string; unit: Unit }) {
  const { number, unit: name, exact } = quantity(value, unit)
  const short = name ? `${number} ${name}` : number
  if (short === exact || typeof value === 'string') {
    return (
      <span className="nowrap">
        {number}
        {name && <span className="u">{THIN + name}</span>}
      </span>
    )
  }
  return (
    <data value={String(value)} title={exact} className="nowrap">
      <span aria-hidden="true">
        {number}
        {name && <span className="u">{THIN + name}</span>}
      </span>
      <span className="vh">{exact}</span>
    </data>
  )
}
