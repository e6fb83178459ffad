import { cumsum, maxIndex } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, count, format, orNotRecorded, partOf, plural } from '../format'
import { defineChart, type MissingEvidence } from './frame/chart'
import { STATISTICS, STATISTICS_OF_WRITES } from './frame/evidence'
import { groupLinks, groupsAmong } from './frame/groups'
import { Hatch } from './frame/Hatch'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { clipped, fits, textWidth } from './frame/text'

type Block = CaseDocument['charts']['aggregators'][number]

interface Activity {
  /** Blocks by calls, most first; at most SHOWN are drawn, all are in the table. */
  readonly blocks: readonly Block[]
  readonly links: (path: string) => readonly Link[]
}

const SHOWN = 6
const STATISTICS_KIND = 'mpich_stats'
const SHADES = [14, 34, 58, 100].map((part) => `color-mix(in srgb, var(--collective) ${part}%, var(--bg))`)

const bins = (block: Block) => [block.one, block.low, block.high, block.all]
const calls = (block: Block) => block.one + block.low + block.high + block.all
const nameOf = (block: Block) => baseName(block.file)

/** How many aggregators each bin stands for; null where the bin holds no count of its own (n below 4). */
export function ranges(n: number): (string | null)[] {
  const half = Math.floor(n / 2)
  const span = (from: number, to: number) =>
    to < from ? null : to === from ? String(from) : `${count(from)} to ${count(to)}`
  return ['1', span(2, half), span(Math.max(2, half + 1), n - 1), n === 1 ? null : count(n)]
}

function read(document: CaseDocument): Activity | MissingEvidence {
  const blocks = document.charts.aggregators
    .filter((block) => calls(block) > 0)
    .sort((a, b) => calls(b) - calls(a) || (a.file < b.file ? -1 : 1))
  if (blocks.length > 0) return { blocks, links: groupLinks(document) }
  if (document.sources.some(({ kind }) => kind === STATISTICS_KIND))
    return {
      missing:
        'The statistics given say it of no write: only of the files that are written does Cray MPICH count the aggregators that work in a call.',
      needs: STATISTICS_OF_WRITES,
    }
  return {
    missing:
      'No statistics of the MPI library were given; a Darshan log cannot tell how many aggregators work in a call.',
    needs: STATISTICS,
  }
}

function sentence({ blocks }: Activity): string {
  const first = blocks[0]
  if (!first) return ''
  const total = calls(first)
  const others = blocks.length > 1 ? ` ${plural(blocks.length - 1, 'more file')} below it.` : ''
  if (first.n === 1)
    return `One, in each of the ${plural(total, 'call')} of ${nameOf(first)}: it has one aggregator, so no share can be formed.${others}`
  const names = ranges(first.n)
  const top = maxIndex(bins(first))
  const most = bins(first)[top] ?? 0
  const who = top === 3 ? `All ${count(first.n)}` : `${names[top] ?? 'Some'} of the ${count(first.n)}`
  const works = top === 0 ? 'works' : 'work'
  if (most === total)
    return `${who} ${works} in each of the ${plural(total, 'call')} of ${nameOf(first)}.${top === 3 ? '' : utilised(first)}${others}`
  const full =
    top === 3 ? '' : `; all ${count(first.n)} in ${first.all === 0 ? 'none' : partOf(first.all, total)}`
  return `${who} ${works} in ${format(most / total, 'share')} of the ${plural(total, 'call')} of ${nameOf(first)}${full}.${utilised(first)}${others}`
}

/** " On average 17 % to 50 % of them work.": bounds, since the bins are ranges. */
function utilised({ utilisation_least: least, utilisation_most: most }: Block): string {
  if (least === null || most === null) return ''
  const [low, high] = [format(least, 'share'), format(most, 'share')]
  return low === high
    ? ` On average ${low} of them work.`
    : ` On average between ${low} and ${high} of them work: bounds, since the bins are ranges.`
}

/** A block without bins to name needs no key below it. */
const rowOf = (block: Block) => (block.n === 1 ? 48 : 68)

/** "12 aggregators, 76,800 calls, 2.67 GiB for each": even parts, since no source has them by aggregator. */
function headOf(block: Block, width: number): string {
  const short = `${plural(block.n, 'aggregator')}, ${plural(calls(block), 'call')}`
  if (block.total_bytes === null) return short
  const long =
    `${short}, ${format(block.total_bytes / block.n, 'B')} ${block.n === 1 ? '' : 'for each if even'}`.trim()
  return fits(nameOf(block) + long, width - 24, 12) ? long : short
}

function Plot({ data, width }: { data: Activity; width: number }) {
  const id = useId()
  const mark = useMarks()
  const shown = data.blocks.slice(0, SHOWN)
  const more = data.blocks.length - shown.length
  const bottoms = cumsum(shown, rowOf)
  const height = (bottoms.at(-1) ?? 0) + (more > 0 ? 14 : 0)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Aggregators active in collective calls</title>
      <defs>
        <Hatch id={id} colour="var(--line-strong)" stroke={1.2} gap={6} />
      </defs>
      {shown.map((block, i) => (
        <g
          key={`${block.file}@${block.where.source}`}
          {...mark(data.links(block.file))}
          transform={`translate(0 ${(bottoms[i] ?? 0) - rowOf(block)})`}
        >
          <text className={css.name} x={0} y={11}>
            {clipped(nameOf(block), width - textWidth(headOf(block, width)) - 24, 12)}
            <title>{nameOf(block)}</title>
          </text>
          <text x={width - 2} y={11} textAnchor="end">
            {headOf(block, width)}
          </text>
          {block.n === 1 ? (
            <Degenerate width={width} paint={`url(#${id})`} />
          ) : (
            <Bins block={block} width={width} />
          )}
        </g>
      ))}
      {more > 0 && (
        <text x={0} y={height - 4}>
          and {plural(more, 'file')} with fewer calls: see the table
        </text>
      )}
    </svg>
  )
}

function Degenerate({ width, paint }: { width: number; paint: string }) {
  const whole = '1 aggregator in all: the four bins coincide, no share can be formed'
  const text = fits(whole, width - 24) ? whole : '1 aggregator: the bins coincide'
  return (
    <>
      <rect
        x={0.5}
        y={18.5}
        width={width - 3}
        height={21}
        style={{ fill: paint, stroke: 'var(--line-strong)' }}
      />
      <rect x={8} y={21} width={textWidth(text) * 0.94 + 8} height={16} style={{ fill: 'var(--bg)' }} />
      <text className={css.label} x={12} y={33}>
        {text}
      </text>
    </>
  )
}

function Bins({ block, width }: { block: Block; width: number }) {
  const x = scaleLinear([0, calls(block)], [0, width - 2])
  const names = ranges(block.n)
  const ends = cumsum(bins(block))
  const drawn = bins(block).map((value, i) => ({ value, i, from: (ends[i] ?? 0) - value }))
  let at = 0
  return (
    <>
      {drawn.map(({ value, i, from }) => {
        const room = x(value)
        const label = `${names[i] ?? '–'} active: ${count(value)}`
        return value === 0 ? null : (
          <g key={i}>
            <rect
              x={x(from)}
              y={18}
              width={Math.max(2, room - 1)}
              height={22}
              style={{ fill: SHADES[i], stroke: 'var(--collective)', strokeWidth: 0.5 }}
            >
              <title>{label}</title>
            </rect>
            {fits(label, room - 16, 12) && (
              <text className={i === 3 ? css.inside : css.name} x={x(from) + 8} y={33}>
                {label}
              </text>
            )}
          </g>
        )
      })}
      {drawn.map(({ value, i }) => {
        if (names[i] === null) return null
        const text = `${names[i]}: ${count(value)}`
        const here = at
        at += textWidth(text) + 24
        return here + textWidth(text) + 14 > width ? null : (
          <g key={i} transform={`translate(${here} 46)`}>
            <rect
              width={9}
              height={9}
              rx={2}
              style={{ fill: SHADES[i], stroke: 'var(--collective)', strokeWidth: 0.5 }}
            />
            <text x={14} y={8.5}>
              {text}
            </text>
          </g>
        )
      })}
    </>
  )
}

export const chart = defineChart<Activity>({
  id: 'aggregator-activity',
  order: 3,
  question: 'How many aggregators work in a collective call?',
  read,
  sentence,
  caption: () =>
    'Calls by the number of aggregators active in them: “aggregators active” of MPICH_MPIIO_STATS, write blocks.',
  table: ({ blocks }) => ({
    head: [
      'file',
      'aggregators',
      'one active',
      'up to half',
      'over half',
      'all active',
      'active, at least',
      'at most',
      'bytes for each, if even',
    ],
    rows: blocks.map((b) => [
      nameOf(b),
      count(b.n),
      ...bins(b).map(count),
      ...[b.utilisation_least, b.utilisation_most].map((v) =>
        v === null ? 'not known' : format(v, 'share'),
      ),
      orNotRecorded(b.total_bytes, (bytes) => format(bytes / b.n, 'B')),
    ]),
  }),
  links: ({ blocks, links }) =>
    groupsAmong(
      blocks.slice(0, SHOWN).map((block) => block.file),
      links,
    ),
  Plot,
})
