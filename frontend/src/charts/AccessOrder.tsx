import { scaleLinear } from 'd3-scale'
import { useId } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { capital, count, exactly, format, partOf, plural } from '../format'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { Hatch } from './frame/Hatch'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { textWidth } from './frame/text'
import { isLeast, LOWER_BOUNDS } from './frame/words/least'

type Charts = CaseDocument['charts']
type Order = Charts['order'][number]

interface Accesses {
  readonly orders: readonly Order[]
  readonly alignment: Charts['alignment']
  readonly stripe: number | null
  /** Whether records are missing, so that there were more accesses. */
  readonly least: boolean
}

function read(document: CaseDocument): Accesses | MissingEvidence {
  const { order, alignment } = document.charts
  const stripes = new Set(document.files.flatMap((file) => file.stripe_size_bytes ?? []))
  if (order.length > 0 || alignment)
    return {
      orders: order,
      alignment,
      stripe: stripes.size === 1 ? ([...stripes][0] ?? null) : null,
      least: isLeast(document, 'posix.writes', 'posix.reads'),
    }
  return {
    missing: 'In what order the accesses go through the files is not in the evidence given.',
    needs: DARSHAN,
  }
}

const partsOf = (order: Order) => [
  { name: 'consecutive', value: order.consecutive },
  { name: 'onward, with gaps', value: order.onward },
  { name: 'first or backward', value: order.accesses - order.consecutive - order.onward },
]
const nounOf = (order: Order) => (order.direction === 'write' ? 'write' : 'read')
const share = (part: number, of: number) => format(of === 0 ? 0 : part / of, 'share')

const ONE_OF: Readonly<Record<string, string>> = {
  consecutive: 'follows another without a gap',
  'onward, with gaps': 'goes onward with a gap',
}

function sentence({ orders, alignment, least }: Accesses): string {
  const words = orders.map((order) => {
    const [top] = partsOf(order).sort((a, b) => b.value - a.value)
    const kind =
      { consecutive: 'follow one another without a gap', 'onward, with gaps': 'go onward with gaps' }[
        top?.name ?? ''
      ] ?? 'begin a file or go back'
    return order.accesses === 1
      ? `the one ${nounOf(order)} ${ONE_OF[top?.name ?? ''] ?? 'begins a file or goes back'}`
      : `${share(top?.value ?? 0, order.accesses)} of the ${plural(order.accesses, nounOf(order))} ${kind}`
  })
  const off =
    alignment === null
      ? ''
      : alignment.not_aligned === 0
        ? ` All begin on a multiple of ${blockOf(alignment)}.`
        : ` ${capital(partOf(alignment.not_aligned, alignment.accesses))} do not begin on a multiple of ${blockOf(alignment)}.`
  return `At POSIX, ${least ? 'as far as it is recorded, ' : ''}${words.join('; ')}.${off}`
}

const atLeast = (accesses: number, least: boolean) => `${least ? 'at least ' : ''}${count(accesses)}`

const blockOf = (alignment: NonNullable<Accesses['alignment']>) =>
  alignment.block_bytes === null ? 'the block' : exactly(alignment.block_bytes, 'B')

const ROW = 54
const LEFT = 62

function Plot({ data, width }: { data: Accesses; width: number }) {
  const id = useId()
  const mark = useMarks()
  const x = scaleLinear([0, 1], [LEFT, width - 2])
  const { alignment, orders } = data
  const rows = orders.length + (alignment ? 1 : 0)
  return (
    <svg viewBox={`0 0 ${width} ${rows * ROW}`} height={rows * ROW}>
      <title>Order and alignment of accesses</title>
      <defs>
        <Hatch id={id} colour="var(--text-3)" />
      </defs>
      {orders.map((order, i) => (
        <g key={order.direction} transform={`translate(0 ${i * ROW})`}>
          <text className={css.name} y={15}>
            {order.direction}s
          </text>
          <Shares
            parts={partsOf(order).map((part, p) => ({ ...part, shade: [1, 0.5, 0][p] ?? 0 }))}
            total={order.accesses}
            x={x}
            width={width}
            hatch={`url(#${id})`}
            look={(shade) => ({
              ...mark({ kind: 'direction', id: order.direction }, shade > 0 ? css[order.direction] : ''),
              ...(shade > 0 && { fillOpacity: shade }),
            })}
          />
        </g>
      ))}
      {alignment && (
        <g transform={`translate(0 ${orders.length * ROW})`}>
          <text className={css.name} y={15}>
            aligned
          </text>
          <Shares
            parts={[
              { name: 'on a block', value: alignment.accesses - alignment.not_aligned, shade: 1 },
              { name: 'not on a block', value: alignment.not_aligned, shade: 0 },
            ]}
            total={alignment.accesses}
            x={x}
            width={width}
            hatch={`url(#${id})`}
            look={(shade) => ({ className: shade > 0 ? css.time : '' })}
          />
        </g>
      )}
    </svg>
  )
}

interface Share {
  readonly name: string
  readonly value: number
  readonly shade: number
}

function Shares({
  parts,
  total,
  x,
  width,
  hatch,
  look,
}: {
  parts: readonly Share[]
  total: number
  x: (share: number) => number
  width: number
  hatch: string
  look: (shade: number) => React.SVGProps<SVGRectElement>
}) {
  let done = 0
  let at = LEFT
  return (
    <>
      {parts.map((part) => {
        const from = x(done / total)
        done += part.value
        if (part.value === 0) return null
        return (
          <rect
            key={part.name}
            {...look(part.shade)}
            x={from + 0.5}
            y={2.5}
            width={Math.max(1.5, x(done / total) - from - 1)}
            height={19}
            {...(part.shade === 0 && { style: { fill: hatch, stroke: 'var(--text-3)' } })}
          >
            <title>{`${part.name}: ${count(part.value)}, ${share(part.value, total)}`}</title>
          </rect>
        )
      })}
      {parts.map((part) => {
        const words = `${part.name} ${share(part.value, total)}`
        const here = at
        if (part.value === 0 || here + textWidth(words) > width) return null
        at += textWidth(words) + 16
        return (
          <text key={part.name} x={here} y={36}>
            {words}
          </text>
        )
      })}
    </>
  )
}

export const chart = defineChart<Accesses>({
  id: 'access-order',
  order: 4.3,
  question: 'Do the accesses follow one another, and begin on blocks?',
  read,
  sentence,
  caption: ({ alignment, stripe, least }) =>
    [
      "Solid: each access begins where the rank's last one ended; paler: beyond it; hatched: the first in a file, or back.",
      alignment?.block_bytes &&
        stripe &&
        alignment.block_bytes !== stripe &&
        `Darshan compared the accesses with ${exactly(alignment.block_bytes, 'B')}, not with the stripe size of ${exactly(stripe, 'B')}.`,
      alignment && alignment.block_bytes === null && 'Files have different blocks.',
      least && LOWER_BOUNDS,
    ]
      .filter(Boolean)
      .join(' '),
  table: ({ orders, alignment, least }) => ({
    head: ['POSIX accesses', 'all', 'consecutive', 'onward with gaps', 'first or backward', 'not on a block'],
    rows: [
      ...orders.map((order) => [
        `${order.direction}s`,
        atLeast(order.accesses, least),
        ...partsOf(order).map((part) => count(part.value)),
        '',
      ]),
      ...(alignment
        ? [['both', atLeast(alignment.accesses, least), '', '', '', count(alignment.not_aligned)]]
        : []),
    ],
  }),
  Plot,
})
