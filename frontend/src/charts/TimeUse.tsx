import { greatest, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { CELL_NAMES } from '../analysis/names'
import { isInterval } from '../analysis/slowest'
import type { Account, Cells } from '../api/types'
import { between, format, orNotRecorded } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { Hatch } from './frame/Hatch'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { secondTicks } from './frame/secondTicks'
import { LOWER_BOUNDS } from './frame/words/least'
import { EVEN } from './frame/words/rankWords'
import { RankBar } from './time/RankBar'
import { TakenBar } from './time/TakenBar'
import {
  CELL_OF,
  type Kind,
  knownOf,
  nameOf,
  ORDER,
  type Part,
  partsOf,
  type Rank,
  type Taken,
} from './time/timeUse'

interface Time {
  readonly basis: Account['basis']
  readonly partial: boolean
  readonly ranks: number | null
  readonly runtime_s: number | null
  readonly runtime_reason: string | null
  readonly mean: Rank
  readonly slowest: Rank | null
  readonly slowest_reason: string | null
  readonly taken: readonly Taken[]
}

/** Without seconds they have no place. */
const IF_ANY: readonly Kind[] = ['streams', 'library', 'not_split']
/** Share of the time below which a finding has no part of its own in the bar. */
const TOO_LITTLE = 0.01
const REDUCED = "Darshan keeps the slowest rank's total of a file that all ranks opened, not its parts"
const IMPOSSIBLE = 'impossible-times'

function read(document: CaseDocument): Time | MissingEvidence {
  const { account, findings, metrics } = document
  if (!account) {
    const total = metrics['job.io_time']?.value
    const impossible = findings.some(({ rule, verdict }) => rule === IMPOSSIBLE && verdict === 'triggered')
    return {
      missing: impossible
        ? 'The times of the log are longer than the run, so that they say nothing.'
        : typeof total === 'number'
          ? `The slowest rank spends ${format(total, 's')} in I/O; no source says into what that goes.`
          : "No source has the times of the job's I/O calls.",
      needs: DARSHAN,
    }
  }
  const { basis, partial, runtime_s, cells, slowest, slowest_reason } = account
  const ranks = metrics['job.nprocs']?.value
  const mean = sum(ORDER, (kind) => cells[CELL_OF[kind]])
  const kinds = ORDER.filter(
    (kind) =>
      !IF_ANY.includes(kind) || cells[CELL_OF[kind]] > 0 || (slowest?.cells?.[CELL_OF[kind]] ?? 0) > 0,
  )
  return {
    basis,
    partial,
    ranks: typeof ranks === 'number' ? ranks : null,
    runtime_s,
    runtime_reason: metrics['job.runtime']?.reason ?? null,
    mean: {
      rank: null,
      least_s: mean,
      total_s: mean,
      parts: kinds.map((kind) => partOf(kind, cells, account)),
    },
    slowest: slowest && {
      rank: slowest.rank,
      least_s: slowest.least_s,
      total_s: partial ? slowest.least_s : slowest.most_s,
      parts: kinds.map((kind) =>
        slowest.cells && slowest.cells.not_split < slowest.least_s / 2
          ? partOf(kind, slowest.cells, account)
          : { kind, seconds: null, reason: REDUCED },
      ),
    },
    slowest_reason,
    taken: takenOf(account, document),
  }
}

/** The split that findings have their seconds from. */
function partOf(kind: Kind, cells: Cells, { unknown }: Account): Part {
  const cell = CELL_OF[kind]
  const reason = cells[cell] > 0 ? undefined : unknown.find((one) => one.cell === cell)?.reason
  return { kind, seconds: reason === undefined ? cells[cell] : null, reason: reason ?? null }
}

function takenOf(account: Account, { findings, unexplained }: CaseDocument): Taken[] {
  if (!unexplained) return []
  const total = account.cells.imbalance + sum(ORDER, (kind) => account.cells[CELL_OF[kind]])
  const byRule = new Map<string, number>()
  for (const { rule, takes_s } of findings) byRule.set(rule, (byRule.get(rule) ?? 0) + (takes_s ?? 0))
  return [
    ...[...byRule].map(([name, seconds]) => ({ name, seconds, known: true })),
    { name: 'unexplained', seconds: unexplained.seconds, known: false },
    { name: 'not split', seconds: account.cells.not_split, known: false },
  ].filter(({ seconds }) => seconds > TOO_LITTLE * total)
}

/** "at least 19 min 56 s" where records are missing, as the metric says it; "0.59 s to 0.68 s" of an interval. */
const spentWords = ({ partial }: Time, { least_s, total_s }: Rank) =>
  partial
    ? `at least ${format(total_s, 's')}`
    : isInterval(least_s, total_s)
      ? between(least_s, total_s)
      : format(total_s, 's')
const ofRunWords = ({ partial, runtime_s }: Time, { least_s, total_s }: Rank) => {
  if (!runtime_s) return null
  const bound = partial ? 'at least ' : isInterval(least_s, total_s) ? 'up to ' : ''
  return `${bound}${format(Math.min(1, total_s / runtime_s), 'share')}`
}
const MOSTLY: Readonly<Record<Kind, string>> = {
  read: 'are reads',
  write: 'are writes',
  metadata: 'are metadata calls',
  exchange: `pass in ${CELL_NAMES.exchange}`,
  streams: `are calls of ${CELL_NAMES.streams}`,
  library: `pass in ${CELL_NAMES.library}`,
  not_split: 'cannot be split',
}
/** Times within a tenth of one another are alike: then nobody is slow, and the longest is that by chance. */
const isAlike = ({ partial, mean }: Time, { total_s }: Rank) => !partial && total_s <= EVEN * mean.total_s

const slowestIs = (time: Time, slowest: Rank) => (isAlike(time, slowest) ? 'longest' : 'slowest')

function slowestWords(time: Time, slowest: Rank): string {
  const spent = spentWords(time, slowest)
  if (time.ranks === 1) return `The one rank spends ${spent} in I/O`
  if (isAlike(time, slowest))
    return `All ranks spend about the same time in I/O: ${slowest.rank === null ? 'the longest' : `rank ${slowest.rank}, the longest,`} ${spent}`
  const who = slowest.rank === null ? 'The slowest rank' : `Rank ${slowest.rank} is the slowest and`
  return `${who} spends ${spent} in I/O`
}

const whoIs = (time: Time, rank: Rank) =>
  rank.rank !== null ? `rank ${rank.rank}` : time.ranks === 1 ? 'the one rank' : 'the slowest rank'

function sentence(time: Time): string {
  const ofRun = (rank: Rank) => {
    const share = ofRunWords(time, rank)
    return share === null ? '' : `, ${share} of the run`
  }
  const most = greatest(time.taken, ({ seconds }) => seconds)
  const by =
    most?.known && most.seconds > 0
      ? `, of which ${most.name} takes ${time.partial ? 'at least ' : ''}${format(most.seconds, 's')}`
      : ''
  const largest = greatest(knownOf(time.mean), ({ seconds }) => seconds)
  const whose =
    time.ranks === 1
      ? `its ${format(time.mean.total_s, 's')}`
      : `the ${time.partial ? `${format(time.mean.total_s, 's')} recorded of the mean rank` : `mean rank's ${format(time.mean.total_s, 's')}`}`
  const mostly =
    largest && largest.seconds > 0
      ? ` Of ${whose}, ${format(largest.seconds / time.mean.total_s, 'share')} ${MOSTLY[largest.kind]}.`
      : ''
  const first = time.slowest
    ? `${slowestWords(time, time.slowest)}${ofRun(time.slowest)}`
    : `${time.ranks === 1 ? slowestWords(time, time.mean) : `A rank spends ${spentWords(time, time.mean)} in I/O on average`}${ofRun(time.mean)}`
  return `${first}${by}.${mostly}`
}

/** Those that are drawn: of one rank there is no mean, and its time stands once, by its parts where they are known. */
function ranksOf(time: Time): readonly { name: string; under: string; rank: Rank }[] {
  const { slowest, mean } = time
  if (time.ranks === 1)
    return [
      {
        name: `rank ${slowest?.rank ?? 0}`,
        under: 'the only one',
        rank: slowest && knownOf(slowest).length > 0 ? slowest : mean,
      },
    ]
  const ofMean = { name: 'mean', under: 'of all ranks', rank: mean }
  if (!slowest) return [ofMean]
  const name = slowest.rank === null ? 'slowest' : `rank ${slowest.rank}`
  const under = slowest.rank === null ? 'rank' : `the ${slowestIs(time, slowest)}`
  return [{ name, under, rank: slowest }, ofMean]
}

/** Less of the run than this could not be told from nothing: the axis then ends with the I/O, and says when the run does. */
const LITTLE = 0.02
/** Of such an axis, beyond the longest. */
const BEYOND = 1.25

/** Where the axis ends, and the end of a run that goes on behind it. */
function endsOf(time: Time): { readonly axis: number; readonly run: number | null } {
  const longest = Math.max(...ranksOf(time).map(({ rank }) => rank.total_s))
  const run = time.runtime_s ?? 0
  return longest > 0 && longest < LITTLE * run
    ? { axis: BEYOND * longest, run }
    : { axis: Math.max(run, longest), run: null }
}

const ROW = 52
const LEFT = 74

function Plot({ data, width }: { data: Time; width: number }) {
  const id = useId()
  const mark = useMarks()
  const rows = ranksOf(data)
  const ends = endsOf(data)
  const x = scaleLinear([0, ends.axis], [LEFT, width - 4])
  const bottom = (rows.length + (data.taken.length > 0 ? 1 : 0)) * ROW + 4
  const height = bottom + (ends.run === null ? 18 : 34)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>{data.ranks === 1 ? 'Time in I/O' : 'Time in I/O of the slowest rank and on average'}</title>
      <defs>
        <Hatch id={`${id}w`} colour="var(--waiting)" />
        <Hatch id={`${id}m`} colour="var(--line-strong)" stroke={1.2} gap={6} />
      </defs>
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={secondTicks(x, 4)}
        grid={[0, bottom]}
        room={[0, width]}
      />
      {rows.map(({ name, under, rank }, i) => (
        <g key={name} transform={`translate(0 ${i * ROW + 4})`}>
          <text className={css.name} y={15}>
            {name}
          </text>
          <text y={29}>{under}</text>
          <RankBar
            rank={rank}
            words={spentWords(data, rank)}
            x={x}
            run={data.runtime_s}
            end={ends.axis}
            hatch={id}
            mark={mark}
            room={width - LEFT - 4}
          />
        </g>
      ))}
      {data.taken.length > 0 && (
        <g transform={`translate(0 ${rows.length * ROW + 4})`}>
          <text className={css.name} y={15}>
            taken by
          </text>
          <text y={29}>findings</text>
          <TakenBar taken={data.taken} x={x} hatch={id} room={width - LEFT - 4} />
        </g>
      )}
      {ends.run !== null && (
        <text className={css.label} x={width - 4} y={bottom + 30} textAnchor="end">
          {`the run goes on, to ${format(ends.run, 's')} →`}
        </text>
      )}
    </svg>
  )
}

const reasons = (time: Time) => [
  ...new Set(
    partsOf(time.mean).flatMap((p) =>
      p.seconds === null && p.reason ? [`${nameOf(p.kind)}: ${p.reason}`] : [],
    ),
  ),
]

export const chart = defineChart<Time>({
  id: 'time-use',
  order: 1.8,
  question: 'How much of the run goes into I/O, and into what?',
  read,
  sentence,
  caption: (time) =>
    [
      `Seconds in the calls of one rank, by ${time.basis}; grey is the rest of the run${endsOf(time).run === null ? '' : ', most of which is beyond the axis'}.`,
      partsOf(time.mean).some((p) => p.kind === 'exchange' && p.seconds !== null) &&
        'What MPI-IO takes beyond the calls to storage is exchange, and waiting for others.',
      ...reasons(time).map((reason) => `Not known of ${reason}.`),
      time.runtime_s === null && `The run time is missing: ${time.runtime_reason ?? 'not recorded'}.`,
      time.slowest === null &&
        time.ranks !== 1 &&
        time.slowest_reason &&
        `The slowest rank is missing: ${time.slowest_reason}.`,
      time.taken.length > 0 &&
        `Each second is given to one finding, to causes first${time.ranks === 1 ? '' : '; what the slowest rank takes beyond the mean is among them'}.`,
      time.partial && LOWER_BOUNDS,
    ]
      .filter(Boolean)
      .join(' '),
  table: (time) => {
    const kinds = partsOf(time.mean).map(({ kind }) => kind)
    const ofRun = (seconds: number) =>
      time.runtime_s ? format(Math.min(1, seconds / time.runtime_s), 'share') : 'not known'
    const seconds = (rank: Rank, kind: Kind) => rank.parts.find((part) => part.kind === kind)?.seconds ?? null
    return {
      head: ['of', 'in I/O', ...kinds.map((kind) => nameOf(kind)), 'of the run'],
      rows: [
        ...(time.ranks === 1 ? ranksOf(time).map(({ rank }) => rank) : [time.slowest, time.mean]).flatMap(
          (rank) =>
            rank === null
              ? []
              : [
                  [
                    time.ranks !== 1 && rank === time.mean ? 'mean of all ranks' : whoIs(time, rank),
                    spentWords(time, rank),
                    ...kinds.map((kind) => orNotRecorded(seconds(rank, kind), (s) => format(s, 's'))),
                    ofRunWords(time, rank) ?? 'not known',
                  ],
                ],
        ),
        ...time.taken.map(({ name, seconds: took, known }) => [
          known ? `taken by ${name}` : name,
          format(took, 's'),
          ...kinds.map(() => ''),
          ofRun(took),
        ]),
      ],
    }
  },
  links: (time) =>
    time.slowest && time.slowest.rank !== null
      ? [
          {
            name: `rank ${time.slowest.rank}, the ${slowestIs(time, time.slowest)}`,
            link: { kind: 'rank', id: time.slowest.rank },
          },
        ]
      : [],
  Plot,
})
