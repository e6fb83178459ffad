import { max, sum } from 'd3-array'
import type { CaseDocument } from '../analysis/caseDocument'
import { count, format, orNotRecorded, ratioInColumn } from '../format'
import { defineChart, type MarkedLink, type MissingEvidence } from './frame/chart'
import { HEATMAP_OR_TRACE } from './frame/evidence'
import { busiestWords, bytesOf, EVEN, layerInWords, secondsOf, slowestWords } from './frame/words/rankWords'
import { ByRank, blockOf, leftOf } from './ranks/ByRank'
import { Ends } from './ranks/Ends'
import { endsSentence, isReduced } from './ranks/endsWords'
import { littleToldApart, longestOf, meanOf, nameOf, type Series, type Use } from './ranks/rankUse'

interface Ranks {
  /** At most two layers, from the call to the disk: those with most bytes. */
  readonly drawn: readonly Series[]
  /** Share of the job's bytes in all that tells ranks apart, where it is so little that the files' two ends are drawn instead. */
  readonly little: number | null
  readonly use: Use
  /** The slowest rank of the job, where the account of the time knows it. */
  readonly slowest: number | null
  readonly nprocs: number | null
}

const SHOWN = 2
/** Files whose two ends are drawn, where all that is known of the ranks is those. */
const SHOWN_ENDS = 5
/** Of the time of the slowest rank of a file: what takes less is not named beside it. */
const LONG = 0.05

function read(document: CaseDocument): Ranks | MissingEvidence {
  const use = document.charts.ranks
  if (use && (use.series.length > 0 || use.reduced.length > 0)) {
    const most = [...use.series].sort((a, b) => b.total_bytes - a.total_bytes).slice(0, SHOWN)
    const little = use.reduced.length > 0 ? littleToldApart(document, use) : null
    return {
      use,
      drawn: little === null ? use.series.filter((series) => most.includes(series)) : [],
      little,
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
  if (!first) return [endsSentence(use, nprocs), ...use.series.map(besideEnds(use))].filter(Boolean).join(' ')
  const second = drawn[1]
  const same = second && busiestWords(second) === busiestWords(first)
  const below = second
    ? ` At ${layerInWords(second.layer)}, ${same ? 'the same' : busiestWords(second)}.`
    : ''
  const timed = drawn.find((series) => series.slowest !== null)
  const slow = timed
    ? ` ${slowestWords(timed, slowest)}`
    : use.reduced.length > 0
      ? ` ${endsSentence(use, nprocs)}`
      : ' How long each rank took is not recorded.'
  const words = busiestWords(first)
  return `At ${layerInWords(first.layer)}, ${words}.${below}${slow}`
}

/** What a layer of few bytes takes, where that is no little beside the files. */
const besideEnds =
  ({ reduced }: Use) =>
  (series: Series): string => {
    const longest = max(reduced, (file) => file.slowest_s) ?? 0
    const seconds = series.slowest && secondsOf(series.slowest)
    return seconds !== null && seconds >= LONG * longest ? slowestWords(series, null) : ''
  }

/** Between two layers, one below the other. */
const APART = 12

function Plot({ data, width }: { data: Ranks; width: number }) {
  if (data.drawn.length === 0) return <Ends files={data.use.reduced.slice(0, SHOWN_ENDS)} width={width} />
  const twoColumns = width >= 760 && data.drawn.length === 2
  const each = twoColumns ? (width - 40) / 2 : width
  const left = leftOf(data.drawn)
  const tall = data.drawn.map((series) => blockOf(series, each))
  const height = twoColumns ? (max(tall) ?? 0) : sum(tall) + (tall.length - 1) * APART
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Bytes and seconds by rank</title>
      {data.drawn.map((series, i) => {
        const y = twoColumns ? 0 : sum(tall.slice(0, i)) + i * APART
        return (
          <g key={series.layer} transform={`translate(${twoColumns ? i * (each + 40) : 0} ${y})`}>
            <ByRank series={series} slowest={data.slowest} left={left} width={each} />
          </g>
        )
      })}
    </svg>
  )
}

function linksOf({ drawn, use, slowest }: Ranks): MarkedLink[] {
  const found: MarkedLink[] = []
  const add = (id: number, words: string) => {
    if (!found.some((other) => other.link.id === id))
      found.push({ name: `rank ${id}, ${words}`, link: { kind: 'rank', id } })
  }
  for (const series of drawn) {
    if (series.slowest) add(series.slowest.rank, longestOf(series, slowest))
    if (bytesOf(series.busiest) > EVEN * (series.total_bytes / series.ranks))
      add(series.busiest.rank, 'the busiest')
  }
  for (const file of use.reduced.slice(0, 2))
    add(file.slowest_rank, `the slowest of ${nameOf(file)} at ${layerInWords(file.layer)}`)
  return found
}

export const chart = defineChart<Ranks>({
  id: 'rank-use',
  order: 6.5,
  wide: true,
  question: 'Which ranks move the bytes, and which take the time?',
  read,
  sentence,
  caption: ({ drawn, little, use }) =>
    [
      drawn.length > 0 &&
        `Bytes upward${drawn.some(({ most_s }) => most_s) ? ', seconds in calls downward' : ''}${drawn.some((series) => meanOf(series) !== null) ? '; the dashed line is the mean over all ranks' : ''}.`,
      drawn.some((series) => series.ranks_per_bin > 1) &&
        `Each column is the busiest, or slowest, of ${count(drawn[0]?.ranks_per_bin ?? 1)} neighbouring ranks: none is lost.`,
      drawn.some((series) => series.basis === 'heatmap') && 'A heatmap has bytes by rank, no times.',
      little !== null &&
        `Each rank's own figures are recorded of ${format(little, 'share')} of the bytes: they are in the table.`,
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
          layerInWords(series.layer),
          which,
          `${of.rank}${of.node ? ` on ${of.node}` : ''}`,
          format(of.bytes_written, 'B'),
          format(of.bytes_read, 'B'),
          orNotRecorded(secondsOf(of), (s) => format(s, 's')),
          orNotRecorded(ratio, ratioInColumn),
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
        `slowest of ${nameOf(file)}`,
        `${file.slowest_rank}`,
        orNotRecorded(file.slowest_bytes, (bytes) => `${format(bytes, 'B')} moved`),
        '',
        format(file.slowest_s, 's'),
        orNotRecorded(file.deviation_s, (s) => `deviation ${format(s, 's')}`),
      ]),
    ],
  }),
  links: linksOf,
  closer: { to: '/cases/$caseId/ranks', words: 'open the ranks' },
  Plot,
})
