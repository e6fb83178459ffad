import { max } from 'd3-array'
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { format } from '../../format'
import { Axis, roomLeft, type Tick } from '../frame/Axis'
import { BytesUpward } from '../frame/BytesUpward'
import { byteTicks } from '../frame/byteTicks'
import { type Link, useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'
import { rankTicks } from '../frame/rankTicks'
import { fits, textWidth } from '../frame/text'
import { ranksFromTo } from '../frame/words/ranksFromTo'
import { BASES, layerInWords, secondsOf } from '../frame/words/rankWords'
import { longestOf, meanOf, type Series } from './rankUse'

/** Above the bars: a line for the layer and what it is known from, and a second one where that has no room beside it. */
const HEAD = 20
const SECOND_LINE = 14
const TALL = 76
const TIME = 44
/** Below the bars of time: the name of the slowest. */
const NAMED = 16
/** How tall it is in so wide a drawing. */
export const blockOf = (series: Series, width: number) =>
  aboveOf(series, width) + HEAD + TALL + (series.most_s ? TIME + NAMED + 10 : 0) + 26
/** What the second line takes. */
const aboveOf = ({ layer, basis }: Series, width: number) =>
  textWidth(layerInWords(layer), 12) + textWidth(BASES[basis]) + 8 <= width ? 0 : SECOND_LINE
const longestTick = ({ most_s }: Series): Tick => {
  const at = max(most_s ?? []) || 1
  return { at, words: format(at, 's') }
}
/** Where bars begin: of layers that are drawn together at one place, as far in as the longest words beside them need. */
export const leftOf = (drawn: readonly Series[]): number =>
  roomLeft(drawn.filter(({ most_s }) => most_s).map(longestTick), 62)
const BASE = HEAD + TALL
const BELOW = BASE + 10

interface ByRankProps {
  readonly series: Series
  readonly slowest: number | null
  readonly left: number
  readonly width: number
}

/** Of one layer: bytes upward, and seconds downward where they are known. */
export function ByRank({ series, slowest, left, width }: ByRankProps) {
  const bins = binsOf(series)
  const x = scaleLinear([0, series.ranks], [left, width - 2])
  const axis = byteTicks(max(bins, (bin) => bin.read + bin.written) || 1, 2)
  const y = scaleLinear([0, axis.top], [0, TALL - 6])
  const t = scaleLinear([0, longestTick(series).at], [0, TIME - 6])
  const bottom = series.most_s ? BELOW + TIME + NAMED : BASE
  const above = aboveOf(series, width)
  return (
    <g transform={`translate(0 ${above})`}>
      <text className={css.strong} x={0} y={11 - above}>
        {layerInWords(series.layer)}
      </text>
      <text x={above ? 0 : width - 2} y={11} textAnchor={above ? 'start' : 'end'}>
        {BASES[series.basis]}
      </text>
      <Axis
        side="left"
        edge={left}
        scale={(bytes) => BASE - y(bytes)}
        ticks={axis.ticks}
        grid={[left, width - 2]}
      />
      <Bars bins={bins} x={x} y={y} t={t} />
      <Mean series={series} y={y} left={left} width={width} />
      <SecondsAxis series={series} slowest={slowest} x={x} t={t} left={left} width={width} />
      <Axis
        side="bottom"
        edge={bottom}
        scale={(rank) => x(rank + 0.5)}
        ticks={rankTicks(series.ranks, 4)}
        room={[left, width]}
        name={{ words: 'rank', x: 0, y: bottom + 14 }}
      />
    </g>
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
function Mean({ series, y, left, width }: { series: Series; y: Scale; left: number; width: number }) {
  const mean = meanOf(series)
  if (mean === null) return null
  return <line className={css.reference} x1={left} x2={width - 2} y1={BASE - y(mean)} y2={BASE - y(mean)} />
}

/** How long the longest is, and who it is. */
function SecondsAxis({ series, slowest, x, t, left, width }: ByRankProps & { x: Scale; t: Scale }) {
  if (!series.most_s) return null
  return (
    <>
      <Axis side="left" edge={left} scale={(seconds) => BELOW + t(seconds)} ticks={[longestTick(series)]} />
      <Axis side="bottom" edge={BELOW} scale={x} ticks={[]} line={[left, width - 2]} />
      {series.slowest && (
        <Pointed
          x={x(series.slowest.rank + 0.5)}
          from={BELOW + t(secondsOf(series.slowest) ?? 0)}
          to={BELOW + TIME}
          room={[left, width - 2]}
          text={slowestName(series.slowest.rank, longestOf(series, slowest), width - left - 2)}
        />
      )}
    </>
  )
}

/** Without the layer, whose name stands above, where there is no room for both. */
function slowestName(rank: number, longest: string, room: number): string {
  const whole = `rank ${rank}, ${longest}`
  return fits(whole, room, 12) ? whole : `rank ${rank}, longest`
}

/** A name under a bar that hangs down, with a line up to the bar's end. */
function Pointed({
  x,
  from,
  to,
  room: [first, end],
  text,
}: {
  x: number
  from: number
  to: number
  room: readonly [from: number, to: number]
  text: string
}) {
  const half = textWidth(text, 12) / 2
  return (
    <>
      <line className={css.axis} x1={x} x2={x} y1={from + 1} y2={to} />
      <text
        className={css.strong}
        x={Math.max(first + half, Math.min(end - half, x))}
        y={to + 11}
        textAnchor="middle"
      >
        {text}
      </text>
    </>
  )
}
