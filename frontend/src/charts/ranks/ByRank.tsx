import { max } from 'd3-array'
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { format } from '../../format'
import { Axis } from '../frame/Axis'
import { BytesUpward } from '../frame/BytesUpward'
import { byteTicks } from '../frame/byteTicks'
import { type Link, useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'
import { rankTicks } from '../frame/rankTicks'
import { fits, textWidth } from '../frame/text'
import { ranksFromTo } from '../frame/words/ranksFromTo'
import { BASES, layerInWords, secondsOf } from '../frame/words/rankWords'
import { longestOf, type Series } from './rankUse'

const LEFT = 62
const TALL = 76
const TIME = 44
/** Below the bars of time: the name of the slowest. */
const NAMED = 16
/** How tall it is. */
export const blockOf = (series: Series) => 20 + TALL + (series.most_s ? TIME + NAMED + 10 : 0) + 26
/** Above the bars stand the layer and what it is known from. */
const BASE = 20 + TALL
const BELOW = BASE + 10

interface ByRankProps {
  readonly series: Series
  readonly slowest: number | null
  readonly width: number
}

/** Of one layer: bytes upward, and seconds downward where they are known. */
export function ByRank({ series, slowest, width }: ByRankProps) {
  const bins = binsOf(series)
  const x = scaleLinear([0, series.ranks], [LEFT, width - 2])
  const axis = byteTicks(max(bins, (bin) => bin.read + bin.written) || 1, 2)
  const y = scaleLinear([0, axis.top], [0, TALL - 6])
  const t = scaleLinear([0, max(bins, (bin) => bin.seconds ?? 0) || 1], [0, TIME - 6])
  const bottom = series.most_s ? BELOW + TIME + NAMED : BASE
  return (
    <>
      <text className={css.strong} x={0} y={11}>
        {layerInWords(series.layer)}
      </text>
      <text x={width - 2} y={11} textAnchor="end">
        {BASES[series.basis]}
      </text>
      <Axis
        side="left"
        edge={LEFT}
        scale={(bytes) => BASE - y(bytes)}
        ticks={axis.ticks}
        grid={[LEFT, width - 2]}
      />
      <Bars bins={bins} x={x} y={y} t={t} />
      <Mean series={series} y={y} width={width} />
      <SecondsAxis series={series} slowest={slowest} x={x} t={t} width={width} />
      <Axis
        side="bottom"
        edge={bottom}
        scale={(rank) => x(rank + 0.5)}
        ticks={rankTicks(series.ranks, 4)}
        room={[LEFT, width]}
        name={{ words: 'rank', x: 0, y: bottom + 14 }}
      />
    </>
  )
}

type Scale = ScaleLinear<number, number>

const binsOf = (series: Series) =>
  series.most_read.map((read, i) => ({
    first: i * series.ranks_per_bin,
    last: Math.min(series.ranks, (i + 1) * series.ranks_per_bin) - 1,
    read,
    written: series.most_written[i] ?? 0,
    seconds: series.most_s?.[i] ?? null,
  }))

/** What moved, upward, and what it took, downward: of each rank, or of the busiest and the slowest of several. */
function Bars({ bins, x, y, t }: { bins: ReturnType<typeof binsOf>; x: Scale; y: Scale; t: Scale }) {
  const mark = useMarks()
  return bins.map((bin) => {
    const slot = x(bin.last + 1) - x(bin.first)
    const gap = slot > 6 ? 1.5 : slot > 3 ? 0.5 : 0
    const from = x(bin.first) + gap / 2
    const wide = Math.max(0.8, slot - gap)
    const who = (most: string) =>
      `${bin.first === bin.last ? '' : `${most} of `}${ranksFromTo(bin.first, bin.last)}`
    const links: Link[] = [{ kind: 'rank', id: bin.first, last: bin.last }]
    return (
      <g key={bin.first}>
        <BytesUpward
          x={from}
          base={BASE}
          width={wide}
          written={bin.written > 0 ? Math.max(1.5, y(bin.written)) : 0}
          read={bin.read > 0 ? Math.max(1.5, y(bin.read)) : 0}
          links={links}
          words={`${who('busiest')}: ${format(bin.written, 'B')} written, ${format(bin.read, 'B')} read`}
        />
        {bin.seconds !== null && bin.seconds > 0 && (
          <rect
            {...mark(links, css.time)}
            x={from}
            y={BELOW}
            width={wide}
            height={Math.max(1, t(bin.seconds))}
          >
            <title>{`${who('slowest')}: ${format(bin.seconds, 's')} in calls`}</title>
          </rect>
        )}
      </g>
    )
  })
}

/** A line at the mean, where not all ranks move about as much. */
function Mean({ series, y, width }: { series: Series; y: Scale; width: number }) {
  const { active, ranks, busiest, total_bytes } = series
  const mean = total_bytes / ranks
  if (active === ranks && busiest.bytes_read + busiest.bytes_written <= 1.2 * mean) return null
  return <line className={css.reference} x1={LEFT} x2={width - 2} y1={BASE - y(mean)} y2={BASE - y(mean)} />
}

/** How long the longest is, and who it is. */
function SecondsAxis({ series, slowest, x, t, width }: ByRankProps & { x: Scale; t: Scale }) {
  if (!series.most_s) return null
  const [, longest = 1] = t.domain()
  return (
    <>
      <Axis
        side="left"
        edge={LEFT}
        scale={(seconds) => BELOW + t(seconds)}
        ticks={[{ at: longest, words: format(longest, 's') }]}
      />
      <Axis side="bottom" edge={BELOW} scale={x} ticks={[]} line={[LEFT, width - 2]} />
      {series.slowest && (
        <Pointed
          x={x(series.slowest.rank + 0.5)}
          from={BELOW + t(secondsOf(series.slowest) ?? 0)}
          to={BELOW + TIME}
          width={width}
          text={slowestName(series.slowest.rank, longestOf(series, slowest), width)}
        />
      )}
    </>
  )
}

/** Without the layer, whose name stands above, where there is no room for both. */
function slowestName(rank: number, longest: string, width: number): string {
  const whole = `rank ${rank}, ${longest}`
  return fits(whole, width - LEFT - 2, 12) ? whole : `rank ${rank}, longest`
}

/** A name under a bar that hangs down, with a line up to the bar's end. */
function Pointed({
  x,
  from,
  to,
  width,
  text,
}: {
  x: number
  from: number
  to: number
  width: number
  text: string
}) {
  const half = textWidth(text, 12) / 2
  return (
    <>
      <line className={css.axis} x1={x} x2={x} y1={from + 1} y2={to} />
      <text
        className={css.strong}
        x={Math.max(LEFT + half, Math.min(width - 2 - half, x))}
        y={to + 11}
        textAnchor="middle"
      >
        {text}
      </text>
    </>
  )
}
