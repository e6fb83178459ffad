import { cumsum, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { baseName, capital, count, format, orNotRecorded, plural } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { STATISTICS } from './frame/evidence'
import { groupLinks, groupsAmong } from './frame/groups'
import { Hatch } from './frame/Hatch'
import { type Link, useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { fits } from './frame/text'

type Charts = CaseDocument['charts']
type Direction = Charts['collective'][number] & { readonly name: 'writes' | 'reads' }

interface Split {
  readonly directions: readonly Direction[]
  /** By file and direction, most bytes first. */
  readonly files: Charts['splits']
  readonly links: (path: string) => readonly Link[]
}

function read(document: CaseDocument): Split | MissingEvidence {
  const directions = document.charts.collective
    .filter((split) => split.independent + split.collective > 0 || (split.nonblocking ?? 0) > 0)
    .map((split) => ({
      ...split,
      name: split.direction === 'write' ? ('writes' as const) : ('reads' as const),
    }))
    .sort((a, b) => (a.name === b.name ? 0 : a.name === 'writes' ? -1 : 1))
  if (directions.length > 0) return { directions, files: document.charts.splits, links: groupLinks(document) }
  return {
    missing:
      'No MPI-IO calls are recorded: the program did not use MPI-IO, or its log does not have that module.',
    needs: STATISTICS,
  }
}

/** Bytes that independent calls carried, where some were moved and the sizes of the calls bound them. */
interface Bound {
  readonly total: number
  readonly least: number
  readonly most: number
}

function boundOf(of: Direction): Bound | null {
  const { total_bytes: total, independent_least: least, independent_most: most } = of
  return total && least !== null && most !== null ? { total, least, most } : null
}

const NEXT_TO_NOTHING = 0.0005
/** A share from which on it is said to be over so much. */
const NEXT_TO_ALL = 0.99

/** "between 3 % and 9 %", "all", "none". */
function boundWords({ total, least, most }: Bound): string {
  if (least >= total) return 'all'
  if (most <= 0) return 'none'
  if (least === most) return share(least, total)
  // A bound that no one would write down tells nothing.
  const [any, every] = [least / total < NEXT_TO_NOTHING, most / total > NEXT_TO_ALL]
  if (any && every) return 'an unknown part'
  if (any) return `at most ${share(most, total)}`
  if (every) return `at least ${share(least, total)}`
  return `between ${share(least, total)} and ${share(most, total)}`
}

const share = (part: number, of: number) => format(of === 0 ? 0 : part / of, 'share')

const LEAST_SHARE = 1e-4

function sentence({ directions }: Split): string {
  const parts = directions.map(({ name, independent, collective, nonblocking }) => {
    const blocking = independent + collective
    const word = blocking === 1 ? name.slice(0, -1) : name
    if (blocking === 0) return `all ${plural(nonblocking ?? 0, name.slice(0, -1))} are non-blocking`
    if (independent === 0)
      return blocking === 1
        ? `the one ${word} is collective`
        : `all ${count(blocking)} ${word} are collective`
    if (collective === 0)
      return blocking === 1
        ? `the one ${word} is independent`
        : `all ${count(blocking)} ${word} are independent`
    // "Less than 0.01 %" of calls that are counted says less than how many they are.
    if (independent < blocking * LEAST_SHARE)
      return `${count(independent)} of the ${count(blocking)} ${word} ${independent === 1 ? 'is' : 'are'} independent`
    return `${share(independent, blocking)} of the ${count(blocking)} ${word} are independent`
  })
  const bounds = directions.flatMap((d) => {
    const bound = d.independent > 0 && d.collective > 0 ? boundOf(d) : null
    return bound
      ? [
          `independent calls carry ${boundWords(bound)} of the bytes ${d.name === 'writes' ? 'written' : 'read'}`,
        ]
      : []
  })
  const said = [parts, bounds].filter(({ length }) => length > 0)
  return said.map((some) => `${capital(some.join('; '))}.`).join(' ')
}

/** Distance between the two directions. */
const APART = 12
const rowOf = (d: Direction | undefined) => (d && boundOf(d) ? 74 : 50) + APART

function Plot({ data, width }: { data: Split; width: number }) {
  const id = useId()
  const mark = useMarks()
  const left = 52
  const hatch = `url(#${id})`
  const nonblocking = data.directions.some((d) => (d.nonblocking ?? 0) > 0)
  const tops = cumsum(data.directions, rowOf).map((end, i) => end - rowOf(data.directions[i]))
  const bottom = sum(data.directions, rowOf) - APART
  const height = bottom + (nonblocking ? 24 : 4)
  const x = scaleLinear([0, 1], [left, width - 2])
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Collective and independent calls</title>
      <defs>
        <Hatch id={id} colour="var(--independent)" />
      </defs>
      {data.directions.map((d, i) => {
        const all = d.collective + d.independent
        const y = (tops[i] ?? 0) + 2
        const middle = x(all === 0 ? 0 : d.collective / all)
        const inside = `${count(d.collective)} collective`
        const roomy = fits(inside, middle - left - 16, 12)
        const indep = `${count(d.independent)} independent`
        const [below, besides] = wordsBelow(d, roomy, x(1) - left - 4)
        return (
          <g key={d.name}>
            <text className={css.name} x={0} y={y + 15}>
              {d.name}
            </text>
            <Bytes direction={d} x={x} y={y + 45} hatch={hatch} mark={mark} />
            {all > 0 && (
              <>
                <rect
                  {...mark({ kind: 'direction', id: d.direction }, css.collective)}
                  x={left}
                  y={y}
                  width={Math.max(0, middle - left)}
                  height={22}
                >
                  <title>{inside}</title>
                </rect>
                {d.independent > 0 && (
                  <rect
                    {...mark({ kind: 'direction', id: d.direction })}
                    x={Math.min(middle, x(1) - 2)}
                    y={y + 0.5}
                    width={Math.max(2, x(1) - middle - 0.5)}
                    height={21}
                    style={{ fill: hatch, stroke: 'var(--independent)' }}
                  >
                    <title>{indep}</title>
                  </rect>
                )}
                {roomy && (
                  <text {...mark({ kind: 'direction', id: d.direction }, css.inside)} x={left + 8} y={y + 15}>
                    {inside}
                  </text>
                )}
                <text x={left + 4} y={y + 37}>
                  {below}
                </text>
                <text x={x(1)} y={y + 37} textAnchor="end">
                  {besides}
                </text>
              </>
            )}
          </g>
        )
      })}
      <Axis side="left" edge={left} scale={x} ticks={[]} line={[0, bottom - 4]} />
      {nonblocking && (
        <text className={css.soft} x={0} y={height - 5}>
          non-blocking, kind unknown:{' '}
          {data.directions.map((d) => `${count(d.nonblocking ?? 0)} ${d.name}`).join(', ')}
        </text>
      )}
    </svg>
  )
}

/** What stands under both ends of a bar: counts with their shares, on a phone the shares alone, which the table has with
 * their counts. */
function wordsBelow(d: Direction, roomy: boolean, room: number): readonly [string, string] {
  const all = d.collective + d.independent
  const [ours, theirs] = [share(d.collective, all), share(d.independent, all)]
  const first = roomy ? ours : `${count(d.collective)} collective, ${ours}`
  const second = `${count(d.independent)} independent${d.independent > 0 ? `, ${theirs}` : ''}`
  if (fits(`${first}  ${second}`, room)) return [first, second]
  return [roomy ? ours : `${ours} collective`, `${theirs} independent`]
}

/** The bytes below the calls: collective for sure, independent for sure, and between them what may be either. */
function Bytes({
  direction,
  x,
  y,
  hatch,
  mark,
}: {
  direction: Direction
  x: (share: number) => number
  y: number
  hatch: string
  mark: ReturnType<typeof useMarks>
}) {
  const bound = boundOf(direction)
  if (bound === null) return null
  const sure = x(1 - bound.most / bound.total)
  const alone = x(1 - bound.least / bound.total)
  const look = mark({ kind: 'direction', id: direction.direction }, css.collective)
  const may = alone - sure
  const short = `${boundWords(bound)} independent`
  const long = `of ${format(bound.total, 'B')}, ${short}${may > 0.5 ? ' (bounds)' : ''}`
  return (
    <g>
      <title>{`Of ${format(bound.total, 'B')}, independent calls carry ${boundWords(bound)}`}</title>
      <text x={0} y={y + 9}>
        bytes
      </text>
      {sure > x(0) && <rect {...look} x={x(0)} y={y} width={sure - x(0)} height={9} />}
      {may > 0.5 && (
        <rect x={sure} y={y + 0.5} width={may} height={8} fillOpacity={0.25} className={css.collective} />
      )}
      {alone < x(1) && (
        <rect
          x={Math.min(alone, x(1) - 2)}
          y={y + 0.5}
          width={Math.max(2, x(1) - alone - 0.5)}
          height={8}
          style={{ fill: hatch, stroke: 'var(--independent)' }}
        />
      )}
      {may > 0.5 && (
        <>
          <line className={css.bound} x1={sure} x2={sure} y1={y - 3} y2={y + 12} />
          <line className={css.bound} x1={alone} x2={alone} y1={y - 3} y2={y + 12} />
        </>
      )}
      <text x={x(1)} y={y + 21} textAnchor="end">
        {fits(long, x(1) - x(0)) ? long : short}
      </text>
    </g>
  )
}

export const chart = defineChart<Split>({
  id: 'collective-split',
  order: 2,
  question: 'Are the calls collective?',
  read,
  sentence,
  caption: ({ directions }) => {
    const sources = [...new Set(directions.map((d) => d.source))].join(' and ')
    const bounded = directions.some((d) => boundOf(d))
      ? ' Darshan counts calls by kind, never bytes: those are bounds, by the sizes of the calls.'
      : ''
    return `Calls of the MPI-IO layer, summed over ranks; bars show shares. Counted by ${sources}.${bounded}`
  },
  table: ({ directions, files }) => ({
    head: ['calls', 'collective', 'independent', 'non-blocking', 'bytes', 'of them independent'],
    rows: [
      ...directions.map((d) => {
        const bound = boundOf(d)
        return [
          `all ${d.name}`,
          count(d.collective),
          count(d.independent),
          orNotRecorded(d.nonblocking, count),
          orNotRecorded(d.total_bytes, (bytes) => format(bytes, 'B')),
          bound ? boundWords(bound) : 'not known',
        ]
      }),
      ...files.map((f) => [
        `${baseName(f.file)}, ${f.direction}s`,
        count(f.collective),
        count(f.independent),
        '',
        format(f.total_bytes, 'B'),
        boundWords({ total: f.total_bytes, least: f.least, most: f.most }),
      ]),
    ],
  }),
  links: ({ files, links }) =>
    groupsAmong(
      files.map((file) => file.file),
      links,
    ),
  Plot,
})
