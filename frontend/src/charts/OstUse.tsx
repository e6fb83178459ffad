import { greatest, max, range, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, count, format, orNotRecorded, plural } from '../format'
import { Axis, roomLeft, type Tick } from './frame/Axis'
import { BytesUpward } from './frame/BytesUpward'
import { byteTicks } from './frame/byteTicks'
import { defineChart, type MissingEvidence } from './frame/chart'
import { LAYOUT } from './frame/evidence'
import { groupLinks, groupsAmong } from './frame/groups'
import { Hatch } from './frame/Hatch'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { textWidth } from './frame/text'
import { isLeast, LOWER_BOUNDS } from './frame/words/least'
import { ostWords } from './frame/words/ostWords'

type Use = CaseDocument['charts']['osts'][number]
type Ost = Use['osts'][number]

interface Targets {
  /** The file system with most bytes is drawn; the others stand in the table. */
  readonly systems: readonly Use[]
  readonly first: Use
  readonly linksOf: (path: string) => Link[]
  readonly groupsOf: (ost: Ost) => Link[]
  /** What the rule says about the slowest OST, by the thresholds as they are set now; null where it does not apply. */
  readonly isSlow: boolean | null
  /** Whether records are missing, so that there may be more on each. */
  readonly least: boolean
}

/** Factor below which two rates count as equal. */
const ALIKE = 1.05
const isAlike = ({ times_the_others: times }: NonNullable<Use['slowest']>) => times < ALIKE

/** The slowest OST, where it is slower than the others. */
const slowerOf = ({ slowest }: Use) => (slowest && !isAlike(slowest) ? slowest : null)

/** The slowest OST, where it is to be marked. */
const slowOf = ({ first, isSlow }: Targets) => (isSlow ? first.slowest : null)

const bytesOf = (ost: Ost) => ost.bytes_read + ost.bytes_written
const all = (use: Use) => sum(use.osts, bytesOf)

function slownessOf({ findings }: CaseDocument): boolean | null {
  const verdicts = findings.filter((f) => f.rule === 'slow-ost').map((f) => f.verdict)
  return verdicts.includes('triggered') || (verdicts.includes('clear') ? false : null)
}

function read(document: CaseDocument): Targets | MissingEvidence {
  const [first] = document.charts.osts
  const linksOf = groupLinks(document)
  if (first && first.osts.length > 0)
    return {
      systems: document.charts.osts,
      first,
      linksOf,
      isSlow: slownessOf(document),
      least: isLeast(document, 'posix.writes', 'posix.reads', 'io.bytes'),
      groupsOf: (ost) => {
        const links = ost.named.flatMap((path) => linksOf(path))
        return links.filter((link, i) => links.findIndex((other) => other.id === link.id) === i)
      },
    }
  return {
    missing: 'No source lists the storage targets (OSTs) that the files lie on.',
    needs: LAYOUT,
  }
}

function sentence(data: Targets): string {
  const { systems, first, least } = data
  const recorded = least ? ' recorded' : ''
  const used = first.osts.length
  const held =
    used < first.striped_over
      ? `, and ${used === 1 ? 'one' : count(used)} of them hold${used === 1 ? 's' : ''} bytes`
      : ''
  const most = busiest(first)
  const total = all(first)
  const share = total > 0 && most ? bytesOf(most) / total : 0
  const who =
    most === undefined || total === 0
      ? ''
      : used === 1
        ? `: OST ${most.ost} holds all ${format(total, 'B')}${recorded}`
        : share > 1.5 / used
          ? `; OST ${most.ost} has ${format(share, 'share')} of the ${format(total, 'B')}${recorded}`
          : `, ${least ? 'at least' : 'some'} ${format(total / used, 'B')} each`
  const more = systems.length > 1 ? ` ${plural(systems.length - 1, 'more file system')} in the table.` : ''
  return `The files lie on ${ostWords(first.striped_over, first.total)}${held}${who}.${paceOf(data)}${longestOf(data)}${more}`
}

/** Which OST is the slowest, by the rate at which a call on it, or a file's, moves its bytes. */
function paceOf(data: Targets): string {
  const { slowest } = data.first
  if (!slowest) return ''
  const rates = `${format(slowest.rate, 'B/s')}, on the others ${format(slowest.others_rate, 'B/s')}`
  const alone = slowest.calls === null ? 'a file on it alone' : 'a call on it alone'
  if (slowOf(data))
    return ` OST ${slowest.ost} is slow: a byte takes ${count(slowest.times_the_others)} times as long as on the ${count(slowest.compared - 1)} others compared; ${alone} moves ${rates}.`
  const compared = count(slowest.compared)
  if (isAlike(slowest))
    return ` None of the ${compared} OSTs compared is slower than the others: ${alone} moves ${format(slowest.others_rate, 'B/s')}.`
  return data.isSlow === false
    ? ` None of the ${compared} OSTs compared is slow: on OST ${slowest.ost}, the slowest, ${alone} moves ${rates}.`
    : ` OST ${slowest.ost} is the slowest of ${compared} compared: ${alone} moves ${rates}.`
}

/** What the bars downward show and no rate says: one OST has half of the seconds or more, where its files wait for something else. */
function longestOf(data: Targets): string {
  const { osts } = data.first
  const longest = greatest(osts, (ost) => ost.seconds ?? 0)
  const together = sum(osts, (ost) => ost.seconds ?? 0)
  if (!isTimed(data.first) || !longest?.seconds || longest.ost === slowOf(data)?.ost) return ''
  if (osts.length < 3 || longest.seconds < together / 2) return ''
  return ` OST ${longest.ost} has ${format(longest.seconds, 's')} of the ${format(together, 's')} of all ranks.`
}

/** Where the bytes are from. */
function basis({ files, files_traced, traced_share }: Use): string {
  const laid = 'the bytes of each file are laid over its stripes, round after round.'
  if (files_traced === 0) return `Inferred: no source counts bytes by OST; ${laid}`
  const counted = 'each POSIX call, split where a stripe ends'
  return files_traced === files
    ? `Counted from the trace: ${counted}.`
    : `Of ${count(files)} files ${count(files_traced)}, with ${format(traced_share, 'share')} of the bytes, are counted from the trace: ${counted}. The others are inferred: ${laid}`
}

function timeBy(use: Use): string {
  if (use.osts.every((ost) => ost.seconds === null)) return ''
  const drawn = isTimed(use) ? 'Bytes upward, seconds of all ranks downward. ' : ''
  return use.files_traced > 0
    ? `${drawn}The time of a call on one OST is that OST's; the rest of a file's time is shared out by its bytes.`
    : `${drawn}A file's time is shared out by its bytes.`
}

function slownessBy({ slowest }: Use): string {
  if (!slowest) return ''
  if (isAlike(slowest))
    return `Rates by the ${slowest.calls === null ? 'files of one stripe and one rank' : 'calls of 64 KiB or more'} that lie on one OST alone, the median of each OST's.`
  return slowest.calls === null
    ? `Slowness by the ${plural(slowest.files, 'file')} of one stripe and one rank on that OST, against the medians of the others.`
    : `Slowness by the ${plural(slowest.calls, 'call')} of 64 KiB or more that lie on that OST alone, the median against those of the others.`
}

const busiest = (use: Use) => greatest(use.osts, bytesOf)

const TALL = 118
/** Pixels below the bytes for the seconds, where any are known. */
const DOWN = 46

const isTimed = ({ osts, slowest }: Use) => slowest !== null && osts.some((ost) => (ost.seconds ?? 0) > 0)

function Plot({ data, width }: { data: Targets; width: number }) {
  const { first } = data
  const id = useId()
  const mark = useMarks()
  const last = Math.max(...first.osts.map((ost) => ost.ost)) + 1
  // All targets of the file system where their number is known and each has a pixel or more; else those that are used.
  const everyone = Math.max(first.total ?? 0, last)
  const peak = max(first.osts, bytesOf) || 1
  const axis = byteTicks(peak, 3)
  const y = scaleLinear([0, axis.top], [0, TALL - 22])
  const base = TALL
  const down = isTimed(first) ? DOWN : 0
  const longest = max(first.osts, (ost) => ost.seconds ?? 0) || 1
  const longestWords = format(longest, 's')
  const left = roomLeft(down > 0 ? [...axis.ticks, { at: longest, words: longestWords }] : axis.ticks, 62)
  const dense = first.total !== null && everyone <= width - left
  const slots = dense ? everyone : first.osts.length
  const band = (width - left - 2) / slots
  const at = (ost: Ost, i: number) => left + (dense ? ost.ost : i) * band
  const seconds = scaleLinear([0, longest], [0, down - 4])
  const feet = base + down
  const gap = band > 12 ? 3 : band > 4 ? 1 : 0
  const even = all(first) / everyone
  return (
    <svg viewBox={`0 0 ${width} ${feet + 30}`} height={feet + 30}>
      <title>{down > 0 ? 'Bytes and seconds by storage target' : 'Bytes by storage target'}</title>
      <defs>
        <Hatch id={id} colour="var(--line-strong)" stroke={1} gap={6} />
      </defs>
      <Axis
        side="left"
        edge={left}
        scale={(bytes) => base - y(bytes)}
        ticks={axis.ticks}
        grid={[left, width - 2]}
      />
      {down > 0 && (
        <>
          <line
            className={css.grid}
            x1={left}
            x2={width - 2}
            y1={base + seconds(longest)}
            y2={base + seconds(longest)}
          />
          <text x={left - 6} y={base + seconds(longest) + 4} textAnchor="end">
            {longestWords}
          </text>
        </>
      )}
      {first.osts.map((ost, i) => {
        const x = at(ost, i)
        const stands: Link[] = [{ kind: 'ost', id: ost.ost }, ...data.groupsOf(ost)]
        const written = ost.bytes_written > 0 ? Math.max(1, y(ost.bytes_written)) : 0
        const readTo = ost.bytes_read > 0 ? Math.max(1, y(ost.bytes_read)) : 0
        const words = inWords(ost)
        return (
          <g key={ost.ost}>
            <BytesUpward
              x={x + gap / 2}
              base={base}
              width={Math.max(1, band - gap)}
              written={written}
              read={readTo}
              links={stands}
              words={words}
            />
            {down > 0 && ost.seconds !== null && (
              <rect
                {...mark(stands, css.time)}
                x={x + gap / 2}
                y={base + 1}
                width={Math.max(1, band - gap)}
                height={Math.max(0.5, seconds(ost.seconds))}
              >
                <title>{words}</title>
              </rect>
            )}
            {slowOf(data)?.ost === ost.ost && (
              <Slow x={x + band / 2} top={base - written - readTo} left={left} right={width} />
            )}
          </g>
        )
      })}
      {first.total !== null && first.osts.length < everyone && all(first) > 0 && y(even) > 2 && (
        <>
          <line className={css.reference} x1={left} x2={width - 2} y1={base - y(even)} y2={base - y(even)} />
          <text className={css.label} x={width - 2} y={feet + 27} textAnchor="end">
            {`dashed: evenly over all ${count(everyone)}, ${format(even, 'B')} each`}
          </text>
        </>
      )}
      <Axis
        side="bottom"
        edge={feet - 1}
        scale={(place) => left + (place + 0.5) * band}
        ticks={targetTicks(dense ? everyone : first.osts, band)}
        room={[left, width]}
        name={{ words: 'OST', x: 0, y: feet + 13 }}
      />
    </svg>
  )
}

const inWords = (ost: Ost) =>
  `OST ${ost.ost}: ${format(ost.bytes_written, 'B')} written, ${format(ost.bytes_read, 'B')} read, ${plural(ost.files, 'file')}${ost.seconds === null ? '' : `, ${format(ost.seconds, 's')} of all ranks`}`

/** Over its column, from the middle of that, beside which the drawing may end. */
function Slow({ x, top, left, right }: { x: number; top: number; left: number; right: number }) {
  return (
    <>
      <path className={css.whisker} d={`M${x - 5} ${top - 12}l5 7l5 -7`} />
      <text
        className={css.strong}
        x={x}
        y={top - 16}
        textAnchor={x > right - 60 ? 'end' : x < left + 40 ? 'start' : 'middle'}
      >
        slow
      </text>
    </>
  )
}

const isTraced = (systems: readonly Use[]) =>
  systems.some((use) => use.osts.some((ost) => ost.alone_calls > 0))

const aloneIn = ({ alone_calls, alone_bytes, alone_s }: Ost): string[] => [
  count(alone_calls),
  alone_s > 0 ? format(alone_bytes / alone_s, 'B/s') : '–',
]

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

/** Names of targets along the axis: of all there are, at round numbers, whether a job uses those or not; else of those
 * that are drawn, one beside the other. */
export function targetTicks(of: number | readonly { readonly ost: number }[], band: number): readonly Tick[] {
  const names = typeof of === 'number' ? range(of).map(String) : of.map(({ ost }) => String(ost))
  const room = Math.max(0, ...names.map((name) => textWidth(name))) + 8
  const step = STEPS.find((one) => one * band >= room) ?? names.length
  return names.flatMap((words, at) => (at % step === 0 ? [{ at, words }] : []))
}

export const chart = defineChart<Targets>({
  id: 'ost-use',
  order: 4.6,
  question: 'Which storage targets hold the files, and how much each?',
  read,
  sentence,
  caption: ({ first, least }) =>
    [
      basis(first),
      timeBy(first),
      first.total === null && 'How many OSTs the file system has is not recorded.',
      first.files_without > 0 &&
        `${plural(first.files_without, 'file')} without a list of OSTs ${first.files_without === 1 ? 'is' : 'are'} left out.`,
      slownessBy(first),
      least && LOWER_BOUNDS,
    ]
      .filter(Boolean)
      .join(' '),
  table: ({ systems }) => ({
    head: [
      ...['OST', 'written', 'read', 'files', 'time of all ranks'],
      ...(isTraced(systems) ? ['calls on it alone', 'their rate'] : []),
      'most bytes from',
    ],
    rows: systems.flatMap((use) =>
      [...use.osts]
        .sort((a, b) => bytesOf(b) - bytesOf(a))
        .map((ost) => [
          `${systems.length > 1 && use.mount ? `${use.mount} ` : ''}OST ${ost.ost}${slowerOf(use)?.ost === ost.ost ? ', the slowest' : ''}`,
          format(ost.bytes_written, 'B'),
          format(ost.bytes_read, 'B'),
          count(ost.files),
          orNotRecorded(ost.seconds, (s) => format(s, 's')),
          ...(isTraced(systems) ? aloneIn(ost) : []),
          baseName(ost.named[0] ?? ''),
        ]),
    ),
  }),
  links: ({ first, linksOf }) => {
    const slowest = slowerOf(first)
    const files = groupsAmong(
      first.osts.flatMap((ost) => ost.named),
      linksOf,
    )
    return [
      ...(slowest
        ? [{ name: `OST ${slowest.ost}, the slowest`, link: { kind: 'ost' as const, id: slowest.ost } }]
        : []),
      ...files,
    ]
  },
  Plot,
})
