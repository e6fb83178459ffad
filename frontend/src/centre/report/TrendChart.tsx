import { extent, max, tickStep } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import { Axis, roomLeft, type Tick } from '../../charts/frame/Axis'
import { byteTicks } from '../../charts/frame/byteTicks'
import { Hatch } from '../../charts/frame/Hatch'
import { capital } from '../../format'
import { cellText, nameOf, tickOf } from './cells'
import { Plot } from './Plot'
import css from './Report.module.css'
import { inWords, short } from './search'
import type { ColumnUnit, Series } from './types'

const HEIGHT = 168
const MARGIN = { top: 22, right: 12, bottom: 22 }
const MOST_DOTS = 62

/** A figure from day to day: a mark a day, the median of before dashed, days of which no log has it hatched. */
export function TrendChart({ series, days }: { series: Series; days: readonly string[] }) {
  // One mark alone is no trend, and the days before it would be a field of hatching.
  if (series.values.filter((value) => value !== null).length < 2)
    return (
      <figure className={css.plot} aria-label={series.title}>
        <h3>{series.title}</h3>
        <p className={css.see}>
          {sentence(series)} {series.values.some((value) => value !== null) && 'A line needs two days.'}
        </p>
      </figure>
    )
  // A line along the bottom shows nothing that a sentence does not say.
  if (series.values.every((value) => value === null || value === 0))
    return (
      <figure className={css.plot} aria-label={series.title}>
        <h3>{series.title}</h3>
        <p className={css.see}>
          {`${capital(cellText(0, series.unit))} on each day${series.values.includes(null) ? ' that has it' : ''}. ${series.note}`.trim()}
        </p>
      </figure>
    )
  return (
    <Plot
      question={series.title}
      see={sentence(series)}
      label={`${series.title}, from ${inWords(days[0] ?? '')} to ${inWords(days.at(-1) ?? '')}: ${sentence(series)}`}
      head={['day', series.title]}
      rows={days.map((day, at) => [inWords(day), wordsOf(series.values[at], series.unit)])}
    >
      {(width) => <Line series={series} days={days} width={width} />}
    </Plot>
  )
}

/** Some days have no log at all, and of others no log has this figure. */
const NO_LOG = 'no log has it'

const wordsOf = (value: number | null | undefined, unit: ColumnUnit): string =>
  value === null || value === undefined ? NO_LOG : cellText(value, unit)

/** What is to be seen: the last day that has the figure, beside what is usual. */
function sentence({ values, usual, unit, note }: Series): string {
  const last = values.findLast((value) => value !== null)
  if (last === undefined || last === null) return `No day has it. ${note}`.trim()
  const when = values.at(-1) !== null ? 'on the last day' : 'on the last day that has it'
  const beside = usual === null ? '' : `, ${cellText(usual, unit)} in the median of the days before`
  return `${capital(cellText(last, unit))} ${when}${beside}. ${note}`.trim()
}

function Line({ series, days, width }: { series: Series; days: readonly string[]; width: number }) {
  const hatch = useId()
  const { values, unit } = series
  const name = nameOf(unit)
  const right = width - MARGIN.right
  const bottom = HEIGHT - MARGIN.bottom
  const { top, ticks } = upTo(Math.max(max(values, Number) ?? 0, series.usual ?? 0), unit)
  const left = roomLeft(ticks, 58)
  const x = scaleLinear([0, Math.max(1, days.length - 1)], [left, right])
  const y = scaleLinear([0, top], [bottom, MARGIN.top])
  const half = (right - left) / Math.max(1, days.length - 1) / 2
  const clipped = (at: number) => Math.min(right, Math.max(left, at))
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT} aria-hidden="true">
      <defs>
        <Hatch id={hatch} colour="var(--line-strong)" stroke={1} />
      </defs>
      {/* Below the hatching: a day that is not known is seen in it. */}
      {series.low !== null && series.high !== null && (
        <rect
          className={css.band}
          x={left}
          width={right - left}
          y={y(series.high)}
          height={Math.max(0, y(series.low) - y(series.high))}
        />
      )}
      {values.map((value, at) =>
        value === null ? (
          <rect
            key={days[at]}
            x={clipped(x(at) - half)}
            width={Math.max(0, clipped(x(at) + half) - clipped(x(at) - half))}
            y={MARGIN.top}
            height={bottom - MARGIN.top}
            fill={`url(#${hatch})`}
          >
            <title>{`${inWords(days[at] ?? '')}: ${NO_LOG}`}</title>
          </rect>
        ) : null,
      )}
      <Axis
        side="left"
        edge={left}
        scale={y}
        ticks={ticks}
        grid={[left, right]}
        {...(name !== undefined && { name: { words: name, x: 0, y: 9 } })}
      />
      <Axis side="bottom" edge={bottom} scale={x} ticks={dayTicks(days, width)} marks room={[left, right]} />
      {series.usual !== null && (
        <line className={css.usual} x1={left} x2={right} y1={y(series.usual)} y2={y(series.usual)} />
      )}
      <path className={css.line} d={pathOf(values, x, y)} />
      {values.map((value, at) =>
        value === null ? null : (
          <circle
            key={days[at]}
            className={css.dot}
            cx={x(at)}
            cy={y(value)}
            r={at === values.length - 1 ? 3.5 : days.length > MOST_DOTS ? 0.9 : 1.8}
          >
            <title>{`${inWords(days[at] ?? '')}: ${cellText(value, unit)}`}</title>
          </circle>
        ),
      )}
    </svg>
  )
}

/** A line through days that follow one another; a gap breaks it. */
export function pathOf(
  values: readonly (number | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let joined = false
  return values
    .map((value, at) => {
      if (value === null) {
        joined = false
        return ''
      }
      const to = `${joined ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
      joined = true
      return to
    })
    .join('')
}

function upTo(peak: number, unit: ColumnUnit): { readonly top: number; readonly ticks: readonly Tick[] } {
  if (unit === 'B' || unit === 'B/s') return byteTicks(peak, 4, unit === 'B/s' ? '/s' : '')
  const scale = scaleLinear([0, peak > 0 ? peak : 1], [0, 1]).nice(4)
  const [, top = 1] = scale.domain()
  const step = tickStep(0, top, 4)
  return { top, ticks: scale.ticks(4).map((at) => ({ at, words: tickOf(at, unit, step) })) }
}

function dayTicks(days: readonly string[], width: number): readonly Tick[] {
  const about = Math.max(2, Math.min(5, Math.floor(width / 110)))
  const last = days.length - 1
  const step = Math.max(1, Math.ceil(last / (about - 1)))
  const places = [...Array(about).keys()].map((n) => last - n * step).filter((at) => at >= 0)
  return places.map((at) => ({ at, words: short(days[at] ?? '') }))
}

const SPARK = { width: 148, height: 30, inset: 3 }

/** The same at a line's height: what it was like lately, the middle half of before as a band. */
export function Sparkline({ series }: { series: Series }) {
  const { values, low, high, usual } = series
  const known = values.filter((value) => value !== null)
  const [least = 0, most = 1] = extent([...known, ...(low !== null && high !== null ? [low, high] : [])])
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [SPARK.inset, SPARK.width - SPARK.inset])
  // One value alone, or the same each day, lies in the middle.
  const about = most > least ? [least, most] : [least - 1, least + 1]
  const y = scaleLinear(about, [SPARK.height - SPARK.inset, SPARK.inset])
  const last = values.at(-1)
  return (
    <svg viewBox={`0 0 ${SPARK.width} ${SPARK.height}`} aria-hidden="true" className={css.spark}>
      {low !== null && high !== null && (
        <rect className={css.band} width={SPARK.width} y={y(high)} height={Math.max(0, y(low) - y(high))} />
      )}
      {usual !== null && <line className={css.middle} x2={SPARK.width} y1={y(usual)} y2={y(usual)} />}
      <path className={css.line} d={pathOf(values, x, y)} />
      {last !== null && last !== undefined && (
        <circle className={css.dot} cx={x(values.length - 1)} cy={y(last)} r={3} />
      )}
    </svg>
  )
}
