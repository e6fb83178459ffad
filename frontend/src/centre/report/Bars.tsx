import { greatest, max, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { textWidth } from '../../charts/frame/text'
import { count, partOf, plural } from '../../format'
import { cellText } from './cells'
import { Plot } from './Plot'
import css from './Report.module.css'
import type { Histogram } from './types'

const ROW = 24
/** The least room for a group's name, and beside the longest one. */
const LABEL = { least: 128, beside: 16 }
/** For a bar's words; where the window is narrow, the hours are in the table alone. */
const ROOM = 168
const NARROW = { width: 400, room: 64 }

function mostOf(fullest: Histogram['bins'][number], of: number): string {
  if (fullest.logs < of) return `The largest group, ${partOf(fullest.logs, of)} of ${plural(of, 'log')}`
  return of === 1 ? 'The one log' : `All ${count(of)} logs`
}

/** Logs by bins of a figure; beside each bar what they ran. */
export function Bars({ histogram }: { histogram: Histogram }) {
  const { bins, of, title, note } = histogram
  const fullest = greatest(bins, (bin) => bin.logs) ?? EMPTY
  const see =
    of === 0 ? `No log of these states it. ${note}` : `${mostOf(fullest, of)}: ${fullest.label}. ${note}`
  // A row of zeros would say that there were logs with so little.
  if (of === 0)
    return (
      <figure className={css.plot} aria-label={title}>
        <h3>{title}</h3>
        <p className={css.see}>{see}</p>
      </figure>
    )
  return (
    <Plot
      question={title}
      see={see}
      label={`${title}: ${bins.map((bin) => `${bin.label} ${count(bin.logs)}`).join(', ')}`}
      head={['', 'logs', 'process-hours']}
      rows={bins.map((bin) => [
        bin.label,
        count(bin.logs),
        bin.process_hours === null ? 'not known' : count(bin.process_hours),
      ])}
    >
      {(width) => <Rows histogram={histogram} width={width} />}
    </Plot>
  )
}

const EMPTY = { label: '', logs: 0, process_hours: null }

function Rows({ histogram: { bins, of }, width }: { histogram: Histogram; width: number }) {
  const narrow = width < NARROW.width
  const room = narrow ? NARROW.room : ROOM
  const longest = max(bins, (bin) => textWidth(bin.label, 12)) ?? 0
  const left = Math.max(LABEL.least, longest + LABEL.beside)
  const x = scaleLinear(
    [0, Math.max(1, max(bins, (bin) => bin.logs) ?? 1)],
    [left, Math.max(left + 20, width - room)],
  )
  const height = bins.length * ROW + 20
  const hours = sum(bins, (bin) => bin.process_hours ?? 0)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height} aria-hidden="true">
      {bins.map((bin, at) => (
        <g key={bin.label} transform={`translate(0 ${at * ROW})`}>
          <text className={css.label} x={left - 8} y={15} textAnchor="end">
            {bin.label}
          </text>
          <rect className={css.bar} x={left} y={4} width={x(bin.logs) - left} height={14}>
            <title>{`${bin.label}: ${plural(bin.logs, 'log')} of ${count(of)}`}</title>
          </rect>
          <text className={css.value} x={x(bin.logs) + 6} y={15}>
            {count(bin.logs)}
            {bin.process_hours !== null && bin.logs > 0 && hours > 0 && !narrow && (
              <tspan className={css.aside}>{`  ${cellText(bin.process_hours, 'process-hours')}`}</tspan>
            )}
          </text>
        </g>
      ))}
      <line className={css.axis} x1={left} x2={left} y1={0} y2={bins.length * ROW} />
      <text className={css.aside} x={left} y={height - 3}>
        {narrow ? 'logs' : 'logs, and the process-hours that they ran'}
      </text>
    </svg>
  )
}
