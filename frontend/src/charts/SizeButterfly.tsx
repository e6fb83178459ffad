import { sum } from 'd3-array'
import { count, format, quantity } from '../format'
import { roomLeft } from './frame/Axis'
import { defineChart } from './frame/chart'
import css from './frame/marks.module.css'
import { textWidth } from './frame/text'
import { Columns } from './sizes/Columns'
import { Edges } from './sizes/Edges'
import { HALF, heightsOf, position } from './sizes/geometry'
import { read, type Sizes, total } from './sizes/sizes'
import { commonWords, edge, nameOf, rangeWords, sentence, timesWords } from './sizes/words'

const MIDDLE = 24
const TOP = 18
/** Below the lower half, for its name. */
const FOOT = 18

function Plot({ data, width }: { data: Sizes; width: number }) {
  const [first, second] = data.halves
  if (!first) return null
  const slots = first.slots
  const counts = data.halves.flatMap((half) => heightsOf(half).ticks)
  const left = roomLeft(
    counts.map((at) => ({ at, words: count(at) })),
    56,
  )
  const geometry = { left, band: (width - left - 4) / slots.length, width }
  const base = TOP + HALF
  const below = base + MIDDLE
  const foot = below + HALF
  const height = second ? foot + FOOT : below
  const stripe = data.stripe === null ? null : position(data.stripe, slots, geometry)
  const name = nameOf(first, false)
  const words = `stripe size, ${edge(data.stripe ?? 0)}`
  const [from, anchor] = stripeLabel(stripe ?? 0, textWidth(words), textWidth(name, 12), width)
  // Where the words of the stripe begin at the left, the name stands at the other end.
  const atRight =
    stripe !== null && (anchor === 'start' ? from : from - textWidth(words)) < textWidth(name, 12)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} height={height}>
      <title>Sizes of accesses</title>
      {stripe !== null && (
        <>
          <path
            className={css.reference}
            d={`M${stripe} 14V${base}${second ? `M${stripe} ${below}V${foot}` : ''}`}
          />
          <text className={css.label} x={from} y={9} textAnchor={anchor}>
            {words}
          </text>
        </>
      )}
      <text className={css.strong} x={atRight ? width - 4 : 0} y={9} textAnchor={atRight ? 'end' : 'start'}>
        {name}
      </text>
      <Columns half={first} geometry={geometry} base={base} stripe={stripe} up />
      <Edges slots={slots} geometry={geometry} y={base + 15} />
      {second && (
        <>
          <Columns half={second} geometry={geometry} base={below} stripe={stripe} up={false} />
          <text className={css.strong} x={0} y={foot + FOOT - 4}>
            {nameOf(second, true)}
          </text>
        </>
      )}
    </svg>
  )
}

/** Beside the stripe's line: after it, unless the words would run out of the drawing; before it only where the layer's
 * name has room too. */
function stripeLabel(
  at: number,
  words: number,
  name: number,
  width: number,
): readonly [x: number, anchor: 'start' | 'end'] {
  if (at + 6 + words < width) return [at + 6, 'start']
  return at - 6 - words > name ? [at - 6, 'end'] : [width, 'end']
}

export const chart = defineChart<Sizes>({
  id: 'size-butterfly',
  order: 4,
  wide: true,
  question: 'How large are the requests, against the stripe?',
  read,
  sentence,
  caption: ({ halves, stripe, common }) =>
    [
      ...(['MPI-IO', 'POSIX'] as const).map((layer) => commonWords(layer, common)),
      "Number of accesses in Darshan's bins of size; each layer has its own scale.",
      halves.some((h) => h.slots.some((s) => s.low === s.high)) &&
        'Exactly 1 MiB stands apart: it is not small.',
      stripe === null && 'No stripe size is recorded for these files.',
    ]
      .filter(Boolean)
      .join(' '),
  table: ({ halves, common }) => ({
    head: ['layer and size', 'writes', 'reads', 'both', 'of the layer'],
    rows: [
      ...halves.flatMap((h) =>
        h.slots
          .filter((slot) => total(slot) > 0)
          .map((slot) => [
            `${h.layer}, ${rangeWords(slot)}`,
            count(slot.write),
            count(slot.read),
            count(total(slot)),
            format(total(slot) / sum(h.slots, total), 'share'),
          ]),
      ),
      ...common.map((c) => [
        `${c.layer}, of exactly ${quantity(c.size_bytes, 'B').exact}`,
        '',
        '',
        timesWords(c, halves),
        '',
      ]),
    ],
  }),
  Plot,
})
