import { format as d3format } from 'd3-format'
import type { ReactNode } from 'react'
import type { Unit } from '../../api/types'
import { count, format, idWords, quantity, ratioInColumn, THIN } from '../../format'
import { Num } from '../../ui/Num'
import type { ColumnUnit } from './types'

const UNITS: Partial<Record<ColumnUnit, Unit>> = { B: 'B', 'B/s': 'B/s', s: 's', share: 'share' }
/** With hyphens at which no line ends. */
const HOURS: Partial<Record<ColumnUnit, string>> = {
  'process-hours': 'process\u2011h',
  'node-hours': 'node\u2011h',
}

/** So few hours are not told apart. */
const FEWEST_HOURS = 0.01
const areFew = (hours: number): boolean => hours > 0 && hours < FEWEST_HOURS
/** Hours without their name, which stands above. */
export const hoursOf = (hours: number): string => (areFew(hours) ? `< ${FEWEST_HOURS}` : count(hours))

/** A figure of a report as the page says figures; `named` where the name of the hours stands above it. */
export function Figure({
  value,
  unit,
  named = false,
}: {
  value: number
  unit: ColumnUnit
  named?: boolean
}): ReactNode {
  const known = UNITS[unit]
  if (known) return <Num value={value} unit={known} />
  const hours = HOURS[unit]
  if (hours)
    return (
      <span className="nowrap" title={`${value} ${unit}`}>
        {hoursOf(value)}
        {!named && <span className="u">{THIN + hours}</span>}
      </span>
    )
  if (unit === 'ratio')
    return (
      <data value={String(value)} title={quantity(value, unit).exact} className="nowrap">
        {ratioInColumn(value)}
      </data>
    )
  if (unit === 'number') return idWords(value)
  return <Num value={value} unit="1" />
}

/** A tick's words: hours stand in the name of their axis (`nameOf`), which has room for the words. Where ticks are a `step`
 * apart, each has as many decimals as that: "0.0010" below "0.0012". */
export const tickOf = (value: number, unit: ColumnUnit, step?: number): string =>
  HOURS[unit] ? hoursAt(value, step) : cellText(value, unit)

/** A tick is what it says, however small. */
function hoursAt(hours: number, step?: number): string {
  if (step !== undefined && step < 1 && hours > 0) return hours.toFixed(Math.ceil(-Math.log10(step)))
  return hours > 0 && hours < 1e-4 ? small(hours) : count(hours)
}
const small = d3format(',.2~r')

export const nameOf = (unit: ColumnUnit): string | undefined => HOURS[unit]

/** The same as text, for names and titles. */
export function cellText(value: number, unit: ColumnUnit): string {
  const known = UNITS[unit]
  if (known) return format(value, known)
  const hours = HOURS[unit]
  if (hours) return `${hoursOf(value)}${THIN}${hours}`
  return unit === 'number' ? idWords(value) : count(value)
}

/** What a figure does not exceed, in words. */
export const atMost = (value: number, unit: ColumnUnit): string =>
  HOURS[unit] && areFew(value)
    ? `less than ${FEWEST_HOURS}${THIN}${HOURS[unit]}`
    : `at most ${cellText(value, unit)}`
