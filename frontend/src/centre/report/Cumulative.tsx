import { range } from 'd3-array'
import { scaleLinear, scaleLog } from 'd3-scale'
import { Axis, type Tick } from '../../charts/frame/Axis'
import { count, exactly, format, plural, uncapital } from '../../format'
import { atMost, cellText, nameOf, tickOf } from './cells'
import { Plot } from './Plot'
import css from './Report.module.css'
import type { ColumnUnit, Distribution } from './types'

const HEIGHT = 188
const MARGIN = { top: 12, right: 16, bottom: 34, left: 46 }
const LEAST_JOBS_FOR_A_HUNDREDTH = 100
/** A count has no unit: what one is, and several are. */
const COUNTED: Readonly<Record<string, readonly [one: string, several: string]>> = {
  files: ['file', 'files'],
}
const NAMED = [0.5, 0.75, 0.9, 0.99] as const

/** How a figure is spread over jobs: the share of the jobs with at most so much. */
export function Cumulative({ distribution }: { distribution: Distribution }) {
  const { title, unit, jobs } = distribution
  return (
    <Plot
      question={`${title}: how do jobs differ?`}
      see={sentence(distribution)}
      label={`${title} of ${plural(jobs, 'job')}: ${sentence(distribution)}`}
      head={['share of the jobs', 'at most']}
      rows={distribution.at.map((share, n) => [
        format(share, 'share'),
        cellText(distribution.values[n] ?? 0, unit),
      ])}
    >
      {(width) => <Curve distribution={distribution} width={width} />}
    </Plot>
  )
}

const valueAt = ({ at, values }: Distribution, share: number): number | undefined => values[at.indexOf(share)]

function sentence(distribution: Distribution): string {
  const { unit, top_share, note } = distribution
  const half = valueAt(distribution, 0.5)
  // Of few jobs nobody is the hundredth.
  const many = distribution.jobs >= LEAST_JOBS_FOR_A_HUNDREDTH
  const most = valueAt(distribution, many ? 0.99 : 1)
  const counted = COUNTED[distribution.id]
  const of = counted ? ` ${counted[half === undefined || count(half) !== '1' ? 1 : 0]}` : ''
  const middle =
    half === undefined || most === undefined
      ? ''
      : `Half of the jobs have ${atMost(half, unit)}${of}, ${many ? '99 %' : 'all of them'} ${atMost(most, unit)}.`
  const top = top_share === null ? '' : `The 1 % with most have ${format(top_share, 'share')} of all.`
  return [middle, top, note].filter(Boolean).join(' ')
}

function Curve({ distribution, width }: { distribution: Distribution; width: number }) {
  const { at, values, unit } = distribution
  const right = width - MARGIN.right
  const bottom = HEIGHT - MARGIN.bottom
  // A logarithm has no zero: what is none stands at the left edge.
  const positive = values.filter((value) => value > 0)
  const least = positive[0] ?? 1
  const x = scaleLog([least, Math.max(positive.at(-1) ?? 10, least * 10)], [MARGIN.left, right])
  const y = scaleLinear([0, 1], [bottom, MARGIN.top])
  const place = (value: number) => x(Math.max(least, value))
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT} aria-hidden="true">
      <Axis
        side="left"
        edge={MARGIN.left}
        scale={y}
        ticks={[0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: share, words: format(share, 'share') }))}
        grid={[MARGIN.left, right]}
      />
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={powers(least, x.domain()[1] ?? least, unit)}
        marks
        room={[MARGIN.left, right]}
        name={{
          words: [
            distribution.title,
            // A title may say it: "Process-hours of a job".
            uncapital(distribution.title).startsWith(unit) ? undefined : nameOf(unit),
            'logarithmic',
          ]
            .filter(Boolean)
            .join(', '),
          x: right,
          y: HEIGHT - 2,
          end: true,
        }}
      />
      <path
        className={css.line}
        d={values
          .map((value, n) => `${n ? 'L' : 'M'}${place(value).toFixed(1)} ${y(at[n] ?? 0).toFixed(1)}`)
          .join('')}
      />
      {NAMED.map((share) => {
        const value = valueAt(distribution, share)
        return value === undefined ? null : (
          <circle key={share} className={css.dot} cx={place(value)} cy={y(share)} r={3}>
            <title>{`${format(share, 'share')} of the jobs have ${atMost(value, unit)}`}</title>
          </circle>
        )
      })}
    </svg>
  )
}

/** So many powers of two lie between two ticks of bytes, the fewest that leave few ticks. */
const BITS = [1, 2, 5, 10, 20] as const
const MOST = 5

/** Up to five round values along an axis by powers: of two for bytes, else of ten, with 2 and 5 between few of those. */
export function powers(least: number, most: number, unit: ColumnUnit): readonly Tick[] {
  const within = (values: readonly number[]) => values.filter((value) => value >= least && value <= most)
  const from = (base: number, steps: readonly number[]) => {
    const [first, last] = [least, most].map((end) => Math.floor(Math.log(end) / Math.log(base)))
    return within(range(first ?? 0, (last ?? 0) + 2).flatMap((n) => steps.map((step) => step * base ** n)))
  }
  if (unit === 'B' || unit === 'B/s') {
    const found = BITS.map((bits) => from(2 ** bits, [1])).find(({ length }) => length <= MOST) ?? []
    return found.map((at) => ({ at, words: exactly(at, unit) }))
  }
  const tens = from(10, [1])
  const every = Math.ceil(tens.length / MOST)
  const found = tens.length > 2 ? tens.filter((_, i) => i % every === 0) : from(10, [1, 2, 5])
  return found.map((at) => ({ at, words: tickOf(at, unit) }))
}
