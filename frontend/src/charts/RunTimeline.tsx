import { max, min } from 'd3-array'
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { between, count, plural } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { type Link, useMarks, useShown } from './frame/linked'
import { groupName } from './frame/linkName'
import css from './frame/marks.module.css'
import { secondTicks } from './frame/secondTicks'
import { secondsAt, TimeCursor } from './frame/TimeCursor'
import { clippedAll } from './frame/text'
import { movesInWords } from './frame/words/movesInWords'

type Activity = NonNullable<CaseDocument['charts']['activity']>
type Group = Activity['groups'][number]
type Span = Group['opened']

interface Run {
  /** The length of the axis: what was timed may end a little after the run, by another clock. */
  readonly run_s: number
  readonly runtime_s: number | null
  readonly groups: readonly Group[]
  readonly total: number
  /** Whether nothing was read or written, by all that counts bytes. */
  readonly idle: boolean
}

const SHOWN = 8

function read(document: CaseDocument): Run | MissingEvidence {
  const activity = document.charts.activity
  if (activity && activity.groups.length > 0 && activity.run_s > 0)
    return {
      run_s: activity.run_s,
      runtime_s: document.job.runtime_s,
      groups: activity.groups,
      total: activity.groups_total,
      idle: document.metrics['io.bytes']?.value === 0,
    }
  return {
    missing: 'No source tells when files were opened, read, written and closed.',
    needs: DARSHAN,
  }
}

const spansOf = (group: Group) => [...group.reads, ...group.writes]

function sentence({ run_s, runtime_s, groups, idle }: Run): string {
  const all = groups.flatMap(spansOf)
  // They stand by bytes, the most first: a log that is open all the time is not what the run is about.
  const most = groups.find((group) => spansOf(group).length > 0)
  if (!most)
    return idle
      ? 'Files were opened, and nothing was read or written.'
      : 'It is known when files were open; of no read or write it is known when it was.'
  const parts = [
    most.writes.length > 0 ? `written in ${stretches(most.writes)}` : '',
    most.reads.length > 0 ? `read in ${stretches(most.reads)}` : '',
  ].filter(Boolean)
  // The steps of a job have an axis of their own, and together last longer.
  const whole = Math.min(runtime_s ?? run_s, run_s)
  const when = movesInWords(
    min(all, (span) => span.from_s) ?? 0,
    max(all, (span) => span.to_s) ?? whole,
    whole,
  )
  const files = groups.length === 1 ? `In use: ${most.label}` : `Most bytes: ${most.label}`
  return `${when}. ${files}, ${parts.join(' and ')}.`
}

const stretches = ({ length }: readonly Span[]) =>
  length === 1 ? 'one stretch' : `${count(length)} stretches`

const ROW = 30
const HEAD = 6

function Plot({ data, width }: { data: Run; width: number }) {
  const shown = data.groups.slice(0, SHOWN)
  const narrow = width < 520
  const label = narrow ? 0 : Math.min(260, width * 0.3)
  const row = narrow ? ROW + 14 : ROW
  const bottom = HEAD + shown.length * row
  const x = scaleLinear([0, data.run_s], [label, width - 14])
  const names = clippedAll(
    shown.map((group) => groupName(group.label)),
    narrow ? width : label - 12,
    12,
  )
  const more = data.total - shown.length
  const height = bottom + (more > 0 ? 34 : 18)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>When each group of files was in use</title>
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={secondTicks(x, narrow ? 3 : 5)}
        grid={[0, bottom]}
        room={[0, width]}
      />
      {shown.map((group, i) => (
        <g key={group.group} transform={`translate(0 ${HEAD + i * row})`}>
          <text className={narrow ? css.label : css.name} x={narrow ? 4 : 0} y={narrow ? 10 : 17}>
            <title>{groupName(group.label)}</title>
            {names[i]}
          </text>
          <Strip group={group} x={x} top={narrow ? 14 : 0} />
        </g>
      ))}
      <TimeCursor x={x} to_s={data.run_s} top={0} bottom={bottom} right={width} />
      {more > 0 && (
        <text x={width} y={bottom + 30} textAnchor="end">
          {plural(more, 'more group')} with fewer bytes
        </text>
      )}
    </svg>
  )
}

/** Points at its files, and at the time, in every chart. */
function Strip({ group, x, top }: { group: Group; x: ScaleLinear<number, number>; top: number }) {
  const mark = useMarks()
  const { point } = useShown()
  const mine: Link = { kind: 'group', id: group.group }
  const wide = (span: Span) => Math.max(2, x(span.to_s) - x(span.from_s))
  const split = group.reads.length > 0 && group.writes.length > 0
  const moves = [
    ...group.writes.map((span) => ({
      span,
      direction: 'write' as const,
      words: 'written',
      y: split ? 4 : 6,
    })),
    ...group.reads.map((span) => ({ span, direction: 'read' as const, words: 'read', y: split ? 14 : 6 })),
  ]
  return (
    <g
      transform={`translate(0 ${top})`}
      onPointerMove={(event) => {
        const seconds = secondsAt(event, x)
        point(seconds === null ? [mine] : [mine, { kind: 'time', id: seconds }])
      }}
      onPointerLeave={() => point([])}
    >
      <rect className={css.over} x={x(0)} y={0} width={(x.range()[1] ?? 0) - x(0)} height={ROW - 2} />
      <rect
        className={mark(mine, css.off).className}
        x={x(group.opened.from_s)}
        y={12}
        width={wide(group.opened)}
        height={2}
      >
        <title>{`open ${fromTo([group.opened])}`}</title>
      </rect>
      {moves.map(({ span, direction, words, y }) => (
        <rect
          key={`${direction}${span.from_s}`}
          className={mark([mine, { kind: 'direction', id: direction }], css[direction]).className}
          x={x(span.from_s)}
          y={y}
          width={wide(span)}
          height={split ? 9 : 14}
        >
          <title>{`${words} ${fromTo([span])}`}</title>
        </rect>
      ))}
    </g>
  )
}

const fromTo = (spans: readonly Span[]) => {
  const [first, last] = [spans[0], spans.at(-1)]
  if (!first || !last) return '–'
  const range = between(first.from_s, last.to_s)
  return spans.length === 1 ? range : `${range}, ${count(spans.length)} stretches`
}

export const chart = defineChart<Run>({
  id: 'run-timeline',
  order: 0.5,
  wide: true,
  question: 'When in the run were the files in use?',
  read,
  sentence,
  caption: ({ groups, runtime_s }) => {
    const ends = Math.max(
      ...groups.flatMap((group) => [group.opened, ...spansOf(group)]).map(({ to_s }) => to_s),
    )
    const late = runtime_s !== null && ends > runtime_s
    return `Grey: from the first opening to the last close. Coloured: from the first to the last write, or read, of each file, which may pause in between.${late ? ' Calls are timed by another clock than the run: some end a little after it.' : ''}`
  },
  table: ({ groups }) => ({
    head: ['files', 'open', 'written', 'read'],
    rows: groups.map((g) => [groupName(g.label), fromTo([g.opened]), fromTo(g.writes), fromTo(g.reads)]),
  }),
  links: ({ groups }) => groups.slice(0, SHOWN).map((g) => ({ link: { kind: 'group', id: g.group } })),
  Plot,
})
