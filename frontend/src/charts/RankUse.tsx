import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, count, format, plural } from '../format'
import { Axis } from './frame/Axis'
import { byteTicks } from './frame/byteTicks'
import { defineChart, type MissingEvidence, type NamedLink } from './frame/chart'
import { HEATMAP_OR_TRACE } from './frame/evidence'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { rankTicks } from './frame/rankTicks'
import { BASES, busiestWords, bytesOf, EVEN, LAYER_WORDS, secondsOf, slowestWords } from './frame/rankWords'
import { secondTicks } from './frame/secondTicks'
import { fits, textWidth } from './frame/text'

type Use = NonNullable<CaseDocument['charts']['ranks']>
type Series = Use['series'][number]
type Reduced = Use['reduced'][number]

interface Ranks {
  /** At most two layers, from the call to the disk: those with most bytes. */
  readonly drawn: readonly Series[]
  readonly use: Use
  /** The slowest rank of the job, where the account of the time knows it. */
  readonly slowest: number | null
  readonly nprocs: number | null
}

const SHOWN = 2
/** Files whose two ends are drawn, where all that is known of the ranks is those. */
const SHOWN_ENDS = 5

function read(document: CaseDocument): Ranks | MissingEvidence {
  const use = document.charts.ranks
  if (use && (use.series.length > 0 || use.reduced.length > 0)) {
    const most = [...use.series].sort((a, b) => b.total_bytes - a.total_bytes).slice(0, SHOWN)
    return {
      use,
      drawn: use.series.filter((series) => most.includes(series)),
      slowest: document.account?.slowest?.rank ?? null,
      nprocs: document.job.nprocs,
    }
  }
  return {
    missing: 'No source tells the ranks apart.',
    needs: HEATMAP_OR_TRACE,
  }
}

function sentence({ drawn, use, slowest, nprocs }: Ranks): string {
  const first = drawn[0]
  if (!first) return endsSentence(use, nprocs)
  const second = drawn[1]
  const same = second && busiestWords(second) === busiestWords(first)
  const below = second ? ` At ${LAYER_WORDS[second.layer]}, ${same ? 'the same' : busiestWords(second)}.` : ''
  const timed = drawn.find((series) => series.slowest !== null)
  const slow = timed
    ? ` ${slowestWords(timed, slowest)}`
    : use.reduced.length > 0
      ? ` ${endsSentence(use, nprocs)}`
      : ' How long each rank took is not recorded.'
  const words = busiestWords(first)
  return `At ${LAYER_WORDS[first.layer]}, ${words}.${below}${slow}`
}

/** Of a collective file who calls, and below who touches the storage. */
function endsSentence(use: Use, nprocs: number | null): string {
  const first = use.reduced[0]
  if (!first) return ''
  const others = use.reduced_total > 1 ? ` ${plural(use.reduced_total - 1, 'more file')} like it.` : ''
  if (nprocs === 1) return `Of ${name(first)}, the one rank takes ${format(first.slowest_s, 's')}.${others}`
  const records = use.reduced.filter(({ file }) => file === first.file)
  const [top = '', ...below] = records.map((record) =>
    records.length > 1
      ? ` at ${LAYER_WORDS[record.layer]} ${endsWords(record, 'takes longest', 'the longest')}`
      : ` ${endsWords(record, 'is the slowest', 'the slowest')}`,
  )
  const deeper = below.map((words) => `;${words}`).join('')
  const between = records.every(isReduced) ? ' The ranks between are not recorded.' : ''
  return `Of ${name(first)},${top}${deeper}.${between}${others}`
}

/** Who takes longest at one of several layers need not be the job's slowest rank, and is not called so. */
function endsWords(
  { ranks, slowest_rank, slowest_s, fastest_rank, fastest_s }: Reduced,
  does: string,
  is: string,
): string {
  const slow = `rank ${slowest_rank}`
  if (fastest_s !== null && slowest_s <= EVEN * fastest_s)
    return `the ${ranks === null ? '' : `${count(ranks)} `}ranks take about as long: ${slow}, ${is}, ${format(slowest_s, 's')}`
  const fast =
    fastest_rank !== null && fastest_s !== null
      ? `, against ${format(fastest_s, 's')} of rank ${fastest_rank}, the fastest`
      : ''
  const of = ranks === null ? '' : ` of ${count(ranks)} ranks`
  return `${slow} ${does}${of}: ${format(slowest_s, 's')}${fast}`
}

const name = (file: Reduced) => baseName(file.file)
/** Of the ranks Darshan kept no more than the two ends. */
const isReduced = ({ ranks }: Reduced) => ranks === null

const LEFT = 62
const TALL = 76
const TIME = 44
/** Below the bars of time: the name of the slowest. */
const NAMED = 16
const blockOf = (series: Series) => 20 + TALL + (series.most_s ? TIME + NAMED + 10 : 0) + 26
/** Between two layers, one below the other. */
const APART = 12

function Plot({ data, width }: { data: Ranks; width: number }) {
  if (data.drawn.length === 0) return <Ends files={data.use.reduced.slice(0, SHOWN_ENDS)} width={width} />
  const twoColumns = width >= 760 && data.drawn.length === 2
  const each = twoColumns ? (width - 40) / 2 : width
  const tall = data.drawn.map(blockOf)
  const height = twoColumns ? Math.max(...tall) : tall.reduce((a, b) => a + b + APART, -APART)
  let top = 0
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Bytes and seconds by rank</title>
      {data.drawn.map((series, i) => {
        const y = twoColumns ? 0 : top
        top += (tall[i] ?? 0) + APART
        return (
          <g key={series.layer} transform={`translate(${twoColumns ? i * (each + 40) : 0} ${y})`}>
            <ByRank series={series} slowest={data.slowest} width={each} />
          </g>
        )
      })}
    </svg>
  )
}

function ByRank({ series, slowest, width }: { series: Series; slowest: number | null; width: number }) {
  const mark = useMarks()
  const bins = series.most_read.map((readBytes, i) => ({
    first: i * series.ranks_per_bin,
    last: Math.min(series.ranks, (i + 1) * series.ranks_per_bin) - 1,
    read: readBytes,
    written: series.most_written[i] ?? 0,
    least: series.least_bytes[i] ?? 0,
    seconds: series.most_s?.[i] ?? null,
  }))
  const x = scaleLinear([0, series.ranks], [LEFT, width - 2])
  const peak = max(bins, (bin) => bin.read + bin.written) || 1
  const axis = byteTicks(peak, 2)
  const y = scaleLinear([0, axis.top], [0, TALL - 6])
  const longest = max(bins, (bin) => bin.seconds ?? 0) || 1
  const t = scaleLinear([0, longest], [0, TIME - 6])
  const base = 20 + TALL
  const below = base + 10
  const bottom = series.most_s ? below + TIME + NAMED : base
  const slot = x(series.ranks_per_bin) - x(0)
  const gap = slot > 6 ? 1.5 : slot > 3 ? 0.5 : 0
  const mean = series.total_bytes / series.ranks
  return (
    <>
      <text className={css.strong} x={0} y={11}>
        {LAYER_WORDS[series.layer]}
      </text>
      <text x={width - 2} y={11} textAnchor="end">
        {BASES[series.basis]}
      </text>
      <Axis
        side="left"
        edge={LEFT}
        scale={(bytes) => base - y(bytes)}
        ticks={axis.ticks}
        grid={[LEFT, width - 2]}
      />
      {bins.map((bin) => {
        const from = x(bin.first) + gap / 2
        const wide = Math.max(0.8, x(bin.last + 1) - x(bin.first) - gap)
        const who =
          bin.first === bin.last ? `rank ${bin.first}` : `busiest of ranks ${bin.first} to ${bin.last}`
        const words = `${who}: ${format(bin.written, 'B')} written, ${format(bin.read, 'B')} read`
        const written = bin.written > 0 ? Math.max(1.5, y(bin.written)) : 0
        const readTo = bin.read > 0 ? Math.max(1.5, y(bin.read)) : 0
        const links: Link[] = [{ kind: 'rank', id: bin.first, last: bin.last }]
        return (
          <g key={bin.first}>
            {written > 0 && (
              <rect
                {...mark([...links, { kind: 'direction', id: 'write' }], css.write)}
                x={from}
                y={base - written}
                width={wide}
                height={written}
              >
                <title>{words}</title>
              </rect>
            )}
            {readTo > 0 && (
              <rect
                {...mark([...links, { kind: 'direction', id: 'read' }], css.read)}
                x={from}
                y={base - written - readTo}
                width={wide}
                height={readTo}
              >
                <title>{words}</title>
              </rect>
            )}
            {bin.seconds !== null && bin.seconds > 0 && (
              <rect
                {...mark(links, css.time)}
                x={from}
                y={below}
                width={wide}
                height={Math.max(1, t(bin.seconds))}
              >
                <title>{`${bin.first === bin.last ? `rank ${bin.first}` : `slowest of ranks ${bin.first} to ${bin.last}`}: ${format(bin.seconds, 's')} in calls`}</title>
              </rect>
            )}
          </g>
        )
      })}
      {series.active < series.ranks ||
      series.busiest.bytes_read + series.busiest.bytes_written > 1.2 * mean ? (
        <line className={css.reference} x1={LEFT} x2={width - 2} y1={base - y(mean)} y2={base - y(mean)} />
      ) : null}
      {series.most_s && (
        <>
          <Axis
            side="left"
            edge={LEFT}
            scale={(seconds) => below + t(seconds)}
            ticks={[{ at: longest, words: format(longest, 's') }]}
          />
          <Axis side="bottom" edge={below} scale={x} ticks={[]} line={[LEFT, width - 2]} />
          {series.slowest && (
            <Pointed
              x={x(series.slowest.rank + 0.5)}
              from={below + t(secondsOf(series.slowest) ?? 0)}
              to={below + TIME}
              width={width}
              text={slowestName(series.slowest.rank, longestOf(series, slowest), width)}
            />
          )}
        </>
      )}
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

const ROW = 46

/** The slowest and the fastest rank of each file on one axis of time, and the spread of all where it is known. */
function Ends({ files, width }: { files: readonly Reduced[]; width: number }) {
  const mark = useMarks()
  const x = scaleLinear([0, max(files, (file) => file.slowest_s) || 1], [2, width - 70]).nice(4)
  const bottom = files.length * ROW + 4
  return (
    <svg viewBox={`0 0 ${width} ${bottom + 18}`} height={bottom + 18}>
      <title>Slowest and fastest rank of each file</title>
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={secondTicks(x, 4)}
        grid={[0, bottom]}
        room={[0, width]}
      />
      {files.map((file, i) => {
        const y = i * ROW + 28
        const fast = file.fastest_s
        return (
          <g key={`${file.layer} ${file.file}`}>
            <text className={css.name} x={6} y={y - 12}>
              {name(file)}, {LAYER_WORDS[file.layer]}
            </text>
            {fast !== null && (
              <line className={css.whisker} x1={x(fast)} x2={x(file.slowest_s)} y1={y} y2={y} />
            )}
            {fast !== null && (
              <circle
                {...mark({ kind: 'rank', id: file.fastest_rank ?? -1 }, css.hollow)}
                cx={x(fast)}
                cy={y}
                r={4.5}
              >
                <title>{`fastest: rank ${file.fastest_rank ?? 0}, ${format(fast, 's')}`}</title>
              </circle>
            )}
            <circle
              {...mark({ kind: 'rank', id: file.slowest_rank }, css.time)}
              cx={x(file.slowest_s)}
              cy={y}
              r={5}
            >
              <title>{`slowest: rank ${file.slowest_rank}, ${format(file.slowest_s, 's')}`}</title>
            </circle>
            <text className={css.strong} x={x(file.slowest_s) + 10} y={y + 4}>
              rank {file.slowest_rank}
            </text>
            {fast !== null && x(file.slowest_s) - x(fast) > 60 && (
              <text
                className={css.label}
                x={x(fast)}
                y={y + 16}
                textAnchor={x(fast) < 40 ? 'start' : 'middle'}
              >
                rank {count(file.fastest_rank ?? 0)}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
}

const orMissing = (seconds: number | null) => (seconds === null ? 'not recorded' : format(seconds, 's'))

/** Who takes longest at one layer need not be the job's slowest rank. */
const longestOf = ({ layer, slowest }: Series, ofJob: number | null) =>
  slowest?.rank === ofJob ? 'the slowest' : `longest at ${LAYER_WORDS[layer]}`

function linksOf({ drawn, use, slowest }: Ranks): NamedLink[] {
  const found: NamedLink[] = []
  const add = (id: number, words: string) => {
    if (!found.some((other) => other.link.id === id))
      found.push({ name: `rank ${id}, ${words}`, link: { kind: 'rank', id } })
  }
  for (const series of drawn) {
    if (series.slowest) add(series.slowest.rank, longestOf(series, slowest))
    if (bytesOf(series.busiest) > 1.05 * (series.total_bytes / series.ranks))
      add(series.busiest.rank, 'the busiest')
  }
  for (const file of use.reduced.slice(0, 2))
    add(file.slowest_rank, `the slowest of ${name(file)} at ${LAYER_WORDS[file.layer]}`)
  return found.slice(0, 4)
}

export const chart = defineChart<Ranks>({
  id: 'rank-use',
  order: 6.5,
  wide: true,
  question: 'Which ranks move the bytes, and which take the time?',
  read,
  sentence,
  caption: ({ drawn, use }) =>
    [
      drawn.length > 0 &&
        `Bytes upward${drawn.some(({ most_s }) => most_s) ? ', seconds in calls downward' : ''}; the dashed line is the mean over all ranks.`,
      drawn.some((series) => series.ranks_per_bin > 1) &&
        `Each column is the busiest, or slowest, of ${count(drawn[0]?.ranks_per_bin ?? 1)} neighbouring ranks: none is lost.`,
      drawn.some((series) => series.basis === 'heatmap') && 'A heatmap has bytes by rank, no times.',
      use.reduced.some(isReduced) &&
        'Of a file that all ranks opened, Darshan keeps the slowest and the fastest rank only, and the spread over all.',
      drawn.some((series) => series.partial) && 'Records or calls are missing: these are lower bounds.',
    ]
      .filter(Boolean)
      .join(' '),
  table: ({ use }) => ({
    head: ['layer', 'which', 'rank', 'written', 'read', 'time in calls', 'of the mean'],
    rows: [
      ...use.series.flatMap((series) => {
        const mean = series.total_bytes / series.ranks
        const row = (which: string, of: Series['busiest'], ratio: number | null) => [
          LAYER_WORDS[series.layer],
          which,
          `${of.rank}${of.node ? ` on ${of.node}` : ''}`,
          format(of.bytes_written, 'B'),
          format(of.bytes_read, 'B'),
          orMissing(secondsOf(of)),
          ratio === null ? 'not recorded' : `${count(ratio)}\u202f×`,
        ]
        const slow = series.slowest
        return [
          row('busiest', series.busiest, mean > 0 ? bytesOf(series.busiest) / mean : null),
          ...(slow
            ? [row('longest', slow, series.mean_s ? (secondsOf(slow) ?? 0) / series.mean_s : null)]
            : []),
        ]
      }),
      ...use.reduced.map((file) => [
        file.layer,
        `slowest of ${name(file)}`,
        `${file.slowest_rank}`,
        file.slowest_bytes === null ? 'not recorded' : `${format(file.slowest_bytes, 'B')} moved`,
        '',
        format(file.slowest_s, 's'),
        file.deviation_s === null ? 'not recorded' : `deviation ${format(file.deviation_s, 's')}`,
      ]),
    ],
  }),
  links: linksOf,
  closer: { to: '/cases/$caseId/ranks', words: 'every rank' },
  Plot,
})
