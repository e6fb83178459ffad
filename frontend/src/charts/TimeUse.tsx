import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../api/types'
import { count, format } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { Hatch } from './frame/Hatch'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { secondTicks } from './frame/secondTicks'
import { fits } from './frame/text'

type Time = NonNullable<CaseDocument['charts']['time']>
type Rank = Time['mean']
type Part = Rank['parts'][number]

const NAMES: Readonly<Record<Part['kind'], string>> = {
  write: 'write',
  read: 'read',
  metadata: 'metadata',
  waiting: 'MPI-IO waiting',
}
const ORDER: readonly Part['kind'][] = ['write', 'read', 'metadata', 'waiting']

function read(document: CaseDocument): Time | MissingEvidence {
  const { time } = document.charts
  if (time) return time
  return {
    missing: 'No source has the times of the job’s I/O calls.',
    needs: DARSHAN,
  }
}

const partsOf = (rank: Rank) =>
  ORDER.flatMap((kind) => {
    const part = rank.parts.find((p) => p.kind === kind)
    return part ? [part] : []
  })
type Known = Part & { readonly seconds: number }
const knownOf = (rank: Rank): Known[] =>
  partsOf(rank).flatMap((p) => (p.seconds === null ? [] : [{ ...p, seconds: p.seconds }]))
const whoIs = (rank: Rank) => (rank.rank === null ? 'the slowest rank' : `rank ${count(rank.rank)}`)

function sentence(time: Time): string {
  const ofRun = (seconds: number) =>
    time.runtime_s ? `, ${format(Math.min(1, seconds / time.runtime_s), 'share')} of the run` : ''
  const largest = knownOf(time.mean).sort((a, b) => b.seconds - a.seconds)[0]
  const mostly =
    largest && largest.seconds > 0
      ? `; of the mean rank’s ${format(time.mean.total_s, 's')}, ${format(largest.seconds / time.mean.total_s, 'share')} ${largest.kind === 'waiting' ? 'pass in MPI-IO beyond the calls to storage' : `are ${largest.kind}`}`
      : ''
  const first = time.slowest
    ? `${time.slowest.rank === null ? 'The slowest rank spends' : `Rank ${count(time.slowest.rank)} is the slowest and spends`} ${format(time.slowest.total_s, 's')} in I/O${ofRun(time.slowest.total_s)}`
    : `A rank spends ${format(time.mean.total_s, 's')} in I/O on average${ofRun(time.mean.total_s)}`
  return `${first}${mostly}.`
}

const ROW = 52
const LEFT = 74

function Plot({ data, width }: { data: Time; width: number }) {
  const id = useId()
  const mark = useMarks()
  const rows = [
    ...(data.slowest
      ? [
          {
            name: data.slowest.rank === null ? 'slowest' : `rank ${count(data.slowest.rank)}`,
            under: data.slowest.rank === null ? 'rank' : 'the slowest',
            rank: data.slowest,
          },
        ]
      : []),
    { name: 'mean', under: 'of all ranks', rank: data.mean },
  ]
  const end = Math.max(data.runtime_s ?? 0, ...rows.map((row) => row.rank.total_s))
  const x = scaleLinear([0, end], [LEFT, width - 4])
  const bottom = rows.length * ROW + 4
  return (
    <svg viewBox={`0 0 ${width} ${bottom + 18}`} height={bottom + 18}>
      <title>Time in I/O of the slowest rank and on average</title>
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
          <Bar rank={rank} x={x} end={data.runtime_s} hatch={id} mark={mark} width={width} />
        </g>
      ))}
    </svg>
  )
}

const partWords = (part: Known) => `${NAMES[part.kind]} ${format(part.seconds, 's')}`

/** The longest parts that have room, where not all have; the table has them all. */
function mostOf(parts: readonly Known[], room: number): string {
  const [first, ...others] = [...parts].sort((a, b) => b.seconds - a.seconds).map(partWords)
  return others
    .reduce((said, next) => (fits(`${said}, ${next}, …`, room) ? `${said}, ${next}` : said), first ?? '')
    .concat(', …')
}

function Bar({
  rank,
  x,
  end,
  hatch,
  mark,
  width,
}: {
  rank: Rank
  x: (seconds: number) => number
  end: number | null
  hatch: string
  mark: ReturnType<typeof useMarks>
  width: number
}) {
  const known = knownOf(rank).filter((part) => part.seconds > 0)
  const missing = partsOf(rank).filter((part) => part.seconds === null)
  const whole = known.length === 0
  const room = width - LEFT - 4
  let at = 0
  const words = whole
    ? `${format(rank.total_s, 's')}, its parts are not recorded`
    : known.map(partWords).join(', ')
  return (
    <>
      {end !== null && end > rank.total_s && (
        <rect
          className={css.off}
          x={x(rank.total_s)}
          y={4}
          width={x(end) - x(rank.total_s)}
          height={18}
          fillOpacity={0.45}
        >
          <title>{`the rest of the run: ${format(end - rank.total_s, 's')}`}</title>
        </rect>
      )}
      {whole && (
        <rect
          x={x(0) + 0.5}
          y={4.5}
          width={Math.max(2, x(rank.total_s) - x(0) - 1)}
          height={17}
          style={{ fill: `url(#${hatch}m)`, stroke: 'var(--line-strong)' }}
        >
          <title>{`${format(rank.total_s, 's')}: ${missing[0]?.reason ?? 'not divided'}`}</title>
        </rect>
      )}
      {known.map((part) => {
        const from = x(at)
        at += part.seconds
        const wide = Math.max(1, x(at) - from - 0.75)
        const title = <title>{`${NAMES[part.kind]}: ${format(part.seconds, 's')}`}</title>
        if (part.kind === 'waiting')
          return (
            <rect
              key={part.kind}
              x={from}
              y={4.5}
              width={wide}
              height={17}
              style={{ fill: `url(#${hatch}w)`, stroke: 'var(--waiting)' }}
            >
              {title}
            </rect>
          )
        const look =
          part.kind === 'metadata'
            ? { className: css.metadata }
            : mark({ kind: 'direction', id: part.kind }, css[part.kind])
        return (
          <rect key={part.kind} {...look} x={from} y={4} width={wide} height={18}>
            {title}
          </rect>
        )
      })}
      <text x={x(0) + 4} y={37}>
        {fits(words, room) ? words : mostOf(known, room)}
      </text>
    </>
  )
}

const reasons = (time: Time) => [
  ...new Set(
    partsOf(time.mean).flatMap((p) =>
      p.seconds === null && p.reason ? [`${NAMES[p.kind]}: ${p.reason}`] : [],
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
      `Seconds in the calls of one rank, by ${time.basis}; grey is the rest of the run.`,
      partsOf(time.mean).some((p) => p.kind === 'waiting' && p.seconds !== null) &&
        'Waiting is MPI-IO’s time less that of the storage calls below it: exchange, and waiting for others.',
      ...reasons(time).map((reason) => `Not known of ${reason}.`),
      time.runtime_s === null && `The run time is missing: ${time.runtime_reason ?? 'not recorded'}.`,
      time.slowest === null && time.slowest_reason && `The slowest rank is missing: ${time.slowest_reason}.`,
      time.partial && 'Records are missing: these are lower bounds.',
    ]
      .filter(Boolean)
      .join(' '),
  table: (time) => ({
    head: ['of', 'in I/O', ...ORDER.map((kind) => NAMES[kind]), 'of the run'],
    rows: [time.slowest, time.mean].flatMap((rank) =>
      rank === null
        ? []
        : [
            [
              rank === time.mean ? 'mean of all ranks' : whoIs(rank),
              format(rank.total_s, 's'),
              ...partsOf(rank).map((p) => (p.seconds === null ? 'not recorded' : format(p.seconds, 's'))),
              time.runtime_s ? format(Math.min(1, rank.total_s / time.runtime_s), 'share') : 'not known',
            ],
          ],
    ),
  }),
  links: (time) =>
    time.slowest && time.slowest.rank !== null
      ? [
          {
            name: `rank ${count(time.slowest.rank)}, the slowest`,
            link: { kind: 'rank', id: time.slowest.rank },
          },
        ]
      : [],
  Plot,
})
