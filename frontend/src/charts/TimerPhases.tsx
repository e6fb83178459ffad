import { cumsum, greatest, max, sum, ticks } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, format, plural } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { TIMERS } from './frame/evidence'
import { groupLinks, groupsAmong } from './frame/groups'
import { Hatch } from './frame/Hatch'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { clipped, fits, textWidth } from './frame/text'

type Block = CaseDocument['charts']['timers'][number]
type Phase = Block['phases'][number]
type Rank = Block['named_ranks'][number]
type Known = Phase & { readonly share: number }

interface Phases {
  /** Longest first where seconds are known; at most SHOWN are drawn, all are in the table. */
  readonly blocks: readonly Block[]
  readonly links: (path: string) => readonly Link[]
}

const SHOWN = 3
/** Phases below this share are named, not drawn. */
const SMALL = 0.01
const WAITING = new Set(['imbalance', 'wait for coll'])
const EXCHANGE = new Set(['collective', 'exchange', 'data send', 'data receive'])
const OPENING = /^(open|close)\b/

const nameOf = (block: Block) => baseName(block.file)
const wordOf = (block: Block, phase: Phase) => phase.label.replace('access', block.direction)
const known = (block: Block): Known[] =>
  block.phases
    .flatMap((phase) => (phase.share === null ? [] : [{ ...phase, share: phase.share }]))
    .sort((a, b) => b.share - a.share)
const drawn = (block: Block) => known(block).filter((phase) => phase.share >= SMALL)
const small = (block: Block) => known(block).filter((phase) => phase.share < SMALL)

function read(document: CaseDocument): Phases | MissingEvidence {
  const blocks = document.charts.timers
    .filter((block) => known(block).length > 0)
    .sort((a, b) => (b.total_s ?? 0) - (a.total_s ?? 0))
  if (blocks.length > 0) return { blocks, links: groupLinks(document) }
  return {
    missing:
      "No times of the MPI library's phases were given; a Darshan log cannot tell what happens within an MPI-IO call.",
    needs: TIMERS,
  }
}

function sentence({ blocks }: Phases): string {
  const first = blocks[0]
  const [most, next] = first ? known(first) : []
  if (!first || !most) return ''
  const time = first.total_s === null ? 'the time' : `the ${format(first.total_s, 's')}`
  const both =
    next && next.share >= SMALL ? ` and ${format(next.share, 'share')} in ${wordOf(first, next)}` : ''
  const others = blocks.length > 1 ? ` ${plural(blocks.length - 1, 'more block')} below it.` : ''
  return `Of ${time} in ${first.direction}s of ${nameOf(first)}, ${format(most.share, 'share')} pass in ${wordOf(first, most)}${both}; phases overlap and do not add to 100\u202f%.${others}`
}

const HEAD = 26
const ROW = 24
const under = (block: Block) => (small(block).length > 0 ? 18 : 0)
const heightOf = (block: Block) => HEAD + drawn(block).length * ROW + under(block) + 14

/** Behind its bar: with the seconds where there is room for them. */
const shareOf = ({ share, time_s }: Known, timed: boolean) =>
  format(share, 'share') + (timed && time_s !== null ? `, ${format(time_s, 's')}` : '')

function Plot({ data, width }: { data: Phases; width: number }) {
  const id = useId()
  const shown = data.blocks.slice(0, SHOWN)
  const more = data.blocks.length - shown.length
  const tops = [0, ...cumsum(shown, heightOf)]
  const bottom = sum(shown, heightOf)
  const label = Math.min(132, width * 0.3)
  const timed = width >= 480
  const value = 10 + (max(shown.flatMap(drawn), (phase) => textWidth(shareOf(phase, timed))) ?? 0)
  const top = max(shown.flatMap(drawn), (phase) => Math.max(phase.share, phase.most ?? 0)) ?? 1
  const height = bottom + (more > 0 ? 34 : 18)
  const mark = useMarks()
  const x = scaleLinear([0, Math.max(1, top)], [label, width - value])
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Phases of MPI-IO calls as shares of their time</title>
      <defs>
        <Hatch id={id} colour="var(--waiting)" />
      </defs>
      <Axis
        side="bottom"
        edge={bottom}
        scale={x}
        ticks={ticks(0, 1, 4).map((at) => ({ at, words: format(at, 'share') }))}
        grid={[HEAD - 8, bottom]}
      />
      {shown.map((block, i) => (
        <g key={`${block.file}@${JSON.stringify(block.where)}`} transform={`translate(0 ${tops[i] ?? 0})`}>
          <Bars
            block={block}
            look={mark([...data.links(block.file), { kind: 'direction', id: block.direction }])}
            x={x}
            label={label}
            width={width}
            timed={timed}
            hatch={`url(#${id})`}
          />
        </g>
      ))}
      {more > 0 && (
        <text x={width} y={height - 4} textAnchor="end">
          {plural(more, 'more block')} in the table
        </text>
      )}
    </svg>
  )
}

function Bars({
  block,
  look,
  x,
  label,
  width,
  timed,
  hatch,
}: {
  block: Block
  look: React.SVGProps<SVGGElement>
  x: (share: number) => number
  label: number
  width: number
  timed: boolean
  hatch: string
}) {
  const few = small(block)
  const title = `${nameOf(block)}, ${block.direction}${block.occurrence > 1 ? ` ${block.occurrence}` : ''}`
  const who = `${block.ranks}${block.total_s === null ? '' : `, ${format(block.total_s, 's')} in all`}`
  const names = `below 1\u202f%: ${few.map((phase) => wordOf(block, phase)).join(', ')}`
  return (
    <g {...look}>
      <text className={css.strong} x={0} y={11}>
        {clipped(title, width, 12)}
      </text>
      {textWidth(title, 12) + textWidth(who) < width - 24 && (
        <text className={css.soft} x={width} y={11} textAnchor="end">
          {who}
        </text>
      )}
      {drawn(block).map((phase, i) => {
        const y = HEAD + i * ROW
        const { fill, stroke, className } = paint(block, phase, hatch)
        return (
          <g key={phase.label}>
            <text className={css.name} x={0} y={y + 11}>
              {clipped(wordOf(block, phase), label - 6, 12)}
            </text>
            <rect
              className={className}
              x={x(0)}
              y={y}
              width={Math.max(1.5, x(phase.share) - x(0))}
              height={14}
              style={{ fill, stroke }}
            >
              <title>{`${wordOf(block, phase)}: ${format(phase.share, 'share')} on average over the ranks`}</title>
            </rect>
            {phase.least !== null && phase.most !== null && phase.most > phase.least && (
              <path
                className={css.whisker}
                d={`M${x(phase.least)} ${y + 3}v8M${x(phase.least)} ${y + 7}H${x(phase.most)}M${x(phase.most)} ${y + 3}v8`}
              />
            )}
            <text className={css.label} x={width} y={y + 11} textAnchor="end">
              {shareOf(phase, timed)}
            </text>
          </g>
        )
      })}
      {few.length > 0 && (
        <text className={css.label} x={0} y={HEAD + drawn(block).length * ROW + 10}>
          {fits(names, width - label) ? names : `below 1\u202f%: ${plural(few.length, 'phase')}`}
        </text>
      )}
    </g>
  )
}

/** One meaning a colour: the file in its direction's, waiting and exchange hatched, the rest without one. */
function paint(block: Block, phase: Phase, hatch: string) {
  if (phase.label === 'file access') return { className: block.direction === 'write' ? css.write : css.read }
  if (OPENING.test(phase.label)) return { className: css.metadata }
  if (WAITING.has(phase.label) || EXCHANGE.has(phase.label)) return { fill: hatch, stroke: 'var(--waiting)' }
  return { className: css.off, stroke: 'var(--line-strong)' }
}

function caption({ blocks }: Phases): string {
  const first = blocks[0]
  const rates =
    first?.raw_bandwidth && first.net_bandwidth
      ? `Net bandwidth (${format(first.net_bandwidth, 'B/s')}) over raw bandwidth (${format(first.raw_bandwidth, 'B/s')}) of MPICH_MPIIO_TIMERS is the share of the file ${first.direction}, ${format(first.net_bandwidth / first.raw_bandwidth, 'share')}, and says no more.`
      : ''
  const without = blocks.find((block) => block.total_s === null && block.total_reason)
  return [
    'Bars are means, lines go from the least to the most of the ranks; hatched is waiting and exchange.',
    'The mean of the file access is over the ranks that access the file.',
    rates,
    ranksNamed(blocks),
    without?.total_reason ? `No seconds: ${without.total_reason}.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Who was slowest and who came late, by number: of the block drawn first that names any. */
function ranksNamed(blocks: readonly Block[]): string {
  const block = blocks.find(({ named_ranks = [] }) => named_ranks.length > 0)
  const slowest = block?.named_ranks.find(({ role }) => role === 'slowest access')
  const late = greatest(
    block?.named_ranks.filter(({ role }) => role === 'late arriver') ?? [],
    ({ share }) => share ?? 0,
  )
  if (!block || (!slowest && !late)) return ''
  const text = [
    slowest && `rank ${onNode(slowest)} was slowest in the file ${block.direction}`,
    late &&
      `rank ${onNode(late)} came last to collective call ${late.call}, the one that was waited for most`,
  ]
  const nodes = block.nodes_reason
    ? ` The nodes of the ranks named are not known: ${block.nodes_reason}.`
    : ''
  return `Of ${nameOf(block)}, ${text.filter(Boolean).join('; ')}.${nodes}${placeOf(block)}`
}

const onNode = ({ rank, node }: Rank): string => (node ? `${rank} on ${node}` : `${rank}`)

/** How many OSTs are named before their number alone is. */
const MOST_NAMED = 8

/** On which OSTs the block's file lies, as a Darshan log or `lfs getstripe` says. */
function placeOf({ osts = [], stripe_count, osts_reason }: Block): string {
  if (osts.length === 0) return osts_reason ? ` Where the file lies is not known: ${osts_reason}.` : ''
  const many = stripe_count ?? osts.length
  return osts.length <= MOST_NAMED
    ? ` The file lies on OST ${osts.join(', ')}.`
    : ` The file lies on ${plural(many, 'OST')}.`
}

const roleOf = (block: Block, { role, call }: Rank) =>
  role === 'late arriver' ? `wait in call ${call}, last` : role.replace('access', `file ${block.direction}`)

const orMissing = (value: number | null, unit: 'share' | 's') =>
  value === null ? 'not known' : format(value, unit)

export const chart = defineChart<Phases>({
  id: 'timer-phases',
  order: 1.5,
  wide: true,
  question: 'Where does the time of the MPI-IO calls go?',
  read,
  sentence,
  caption,
  table: ({ blocks }) => ({
    head: ['phase', 'mean', 'least', 'most', 'seconds', 'rank'],
    rows: blocks.flatMap((block) => {
      const title = `${nameOf(block)}, ${block.direction}${block.occurrence > 1 ? ` ${block.occurrence}` : ''}, ${block.ranks}`
      return [
        ...block.phases.map((phase) => [
          `${title}: ${wordOf(block, phase)}`,
          orMissing(phase.share, 'share'),
          orMissing(phase.least, 'share'),
          orMissing(phase.most, 'share'),
          orMissing(phase.time_s, 's'),
          '',
        ]),
        ...block.named_ranks.map((named) => [
          `${title}: ${roleOf(block, named)}`,
          orMissing(named.share, 'share'),
          '',
          '',
          '',
          onNode(named),
        ]),
      ]
    }),
  }),
  links: ({ blocks, links }) =>
    groupsAmong(
      blocks.slice(0, SHOWN).map((block) => block.file),
      links,
    ),
  Plot,
})
