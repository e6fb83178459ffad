import { greatest, max, sum } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { CaseDocument } from '../analysis/caseDocument'
import { count, format, quantity } from '../format'
import { Axis } from './frame/Axis'
import { defineChart, type MissingEvidence } from './frame/chart'
import { DARSHAN } from './frame/evidence'
import { useMarks } from './frame/linked'
import css from './frame/marks.module.css'
import { textWidth } from './frame/text'

type Histogram = CaseDocument['charts']['sizes'][number]
type Direction = Histogram['direction']

/** One column: a range of sizes, or exactly 1 MiB. */
interface Slot {
  readonly low: number
  readonly high: number | null
  readonly read: number
  readonly write: number
}
interface Half {
  readonly layer: Histogram['layer']
  readonly slots: readonly Slot[]
  readonly partial: boolean
}
interface Sizes {
  /** What the program asked for (MPI-IO) above what the file system was given (POSIX); either may be missing. */
  readonly halves: readonly Half[]
  /** Bytes; the layout of the files that carry most bytes, null where none is recorded. */
  readonly stripe: number | null
  readonly common: CaseDocument['charts']['common_sizes']
}

const MIB = 1_048_576

function read(document: CaseDocument): Sizes | MissingEvidence {
  const sizes = document.charts.sizes.filter((h) => h.bins.some((bin) => bin.count > 0))
  const exact = sizes.some((h) => (h.exactly_1_mib ?? 0) > 0)
  const halves = (['MPI-IO', 'POSIX'] as const).flatMap((layer) => {
    const mine = sizes.filter((h) => h.layer === layer)
    return mine.length === 0 ? [] : [half(layer, mine, exact)]
  })
  if (halves.length > 0) return { halves, stripe: stripeOf(document), common: document.charts.common_sizes }
  return {
    missing: 'The sizes of single accesses are not in the evidence given.',
    needs: DARSHAN,
  }
}

function half(layer: Histogram['layer'], histograms: readonly Histogram[], exact: boolean): Half {
  const bins = histograms[0]?.bins ?? []
  const of = (direction: Direction) => histograms.find((h) => h.direction === direction)
  const tall = (direction: Direction, i: number) => of(direction)?.bins[i]?.count ?? 0
  const ones = (direction: Direction) => of(direction)?.exactly_1_mib ?? 0
  const slots = bins.flatMap((bin, i): Slot[] => {
    const slot = { low: bin.low_bytes, high: bin.high_bytes, read: tall('read', i), write: tall('write', i) }
    if (!exact || !holdsMib(bin)) return [slot]
    const whole = { low: MIB, high: MIB, read: ones('read'), write: ones('write') }
    return [{ ...slot, read: slot.read - whole.read, write: slot.write - whole.write }, whole]
  })
  return { layer, slots, partial: histograms.some((h) => h.partial) }
}

/** Darshan's bin up to 1 MiB includes accesses of exactly that size. */
const holdsMib = (bin: { low_bytes: number; high_bytes: number | null }) =>
  bin.low_bytes < MIB && bin.high_bytes !== null && bin.high_bytes >= MIB

function stripeOf(document: CaseDocument): number | null {
  const weight = new Map<number, number>()
  for (const file of document.files) {
    if (file.stripe_size_bytes === null) continue
    const bytes = (file.bytes_read ?? 0) + (file.bytes_written ?? 0)
    weight.set(file.stripe_size_bytes, (weight.get(file.stripe_size_bytes) ?? 0) + bytes + 1)
  }
  return [...weight].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

const total = (slot: Slot) => slot.read + slot.write

/** Darshan's bins begin one byte above a round number: say the round number. */
const edge = (bytes: number) => format(bytes % 4 === 1 ? bytes - 1 : bytes, 'B').replace(/\.0+(?=\D)/, '')

function rangeWords(slot: Slot): string {
  if (slot.low === slot.high) return `exactly ${edge(slot.low)}`
  if (slot.high === null) return `over ${edge(slot.low)}`
  if (slot.low <= 1) return `up to ${edge(slot.high)}`
  return `${edge(slot.low)} to ${edge(slot.high)}`
}

/** "88 % of 4,000 accesses are", "all 4,000 accesses are", "the one access is". */
function partWords(some: number, all: number): string {
  if (some < all) return `${format(some / all, 'share')} of ${count(all)} accesses are`
  return all === 1 ? 'the one access is' : all === 2 ? 'both accesses are' : `all ${count(all)} accesses are`
}

function most(half: Half): string {
  const all = sum(half.slots, total)
  const top = greatest(half.slots, total)
  return top ? `${partWords(total(top), all)} ${rangeWords(top)}` : ''
}

function sentence({ halves, stripe }: Sizes): string {
  const [first, second] = halves
  if (!first) return ''
  const tail = stripe ? ` One stripe is ${edge(stripe)}.` : ''
  if (second) return `Asked of MPI-IO, ${most(first)}; stored through POSIX, ${most(second)}.${tail}`
  return `At the ${first.layer} layer, ${most(first)}.${tail}`
}

const short = (bytes: number) => edge(bytes).replace(/B$/, '').replace('\u202f', ' ').trim()

interface Geometry {
  readonly left: number
  readonly band: number
  readonly width: number
}

/** Where a size lies on the axis: bins are equal columns, inside a bin sizes are spread by their logarithm. */
function position(bytes: number, slots: readonly Slot[], { left, band }: Geometry): number {
  const exact = slots.findIndex((s) => s.low === bytes && s.high === bytes)
  if (exact >= 0) return left + (exact + 0.5) * band
  const i = slots.findIndex((s) => bytes >= s.low && (s.high === null || bytes <= s.high))
  const slot = slots[i]
  if (!slot) return left
  const low = Math.max(1, slot.low)
  const high = slot.high ?? low * 10
  return left + (i + Math.log(bytes / low) / Math.log(high / low)) * band
}

const HALF = 92
const MIDDLE = 24
const TOP = 18
/** Below the lower half, for its name. */
const FOOT = 18

const nameOf = ({ layer, partial }: Half, below: boolean): string =>
  `${layer === 'MPI-IO' && !below ? 'asked: MPI-IO' : layer === 'POSIX' ? 'stored: POSIX' : layer}${partial ? ', lower bounds' : ''}`

function heightsOf({ slots }: Half) {
  const peak = max(slots, (s) => Math.max(s.read, s.write)) || 1
  const scale = scaleLinear([0, peak], [0, HALF - 16]).nice(3)
  return { scale, ticks: scale.ticks(2).filter((t) => Number.isInteger(t) && scale(t) <= HALF - 4) }
}

function Plot({ data, width }: { data: Sizes; width: number }) {
  const [first, second] = data.halves
  if (!first) return null
  const slots = first.slots
  const widest = max(data.halves.flatMap((half) => heightsOf(half).ticks.map((at) => textWidth(count(at)))))
  const left = Math.max(56, 8 + (widest ?? 0))
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

/** A bar and the number that may stand on its end. */
export interface Bar {
  readonly x: number
  readonly wide: number
  readonly tall: number
  readonly words: string
}

/** The height of a number, and how far from its bar's end it begins. */
const LETTERS = 10
const FROM_BAR = 5
/** Between two numbers, and between a number and what else is drawn. */
const CLEAR = 3

/** Where the numbers on bars begin, for those that have room: those of the tallest bars first, and none on another bar, on
 * another number, on the line of the stripe or beyond the drawing. */
export function numbersOn(
  bars: readonly Bar[],
  stripe: number | null,
  width: number,
): ReadonlyMap<Bar, number> {
  const said = new Map<Bar, number>()
  const taken = bars.map(({ x, wide, tall }) => ({ bar: x, from: x, to: x + wide, low: 0, high: tall }))
  for (const one of [...bars].sort((a, b) => b.tall - a.tall)) {
    const half = textWidth(one.words) / 2
    const centre = one.x + one.wide / 2
    const low = one.tall + FROM_BAR
    const free = (from: number) =>
      from >= 0 &&
      from + 2 * half <= width &&
      (stripe === null || from > stripe + CLEAR || from + 2 * half < stripe - CLEAR) &&
      taken.every(
        (other) =>
          other.bar === one.x ||
          from >= other.to + CLEAR ||
          from + 2 * half <= other.from - CLEAR ||
          low >= other.high + CLEAR ||
          low + LETTERS <= other.low - CLEAR,
      )
    // Beside the line of the stripe where that crosses its place, if that is still at its bar.
    const beside = stripe === null ? [] : [stripe + CLEAR + 2, stripe - CLEAR - 2 - 2 * half]
    const gapTo = (from: number) => Math.max(from - centre, centre - (from + 2 * half), 0)
    const places = [centre - half, ...beside.filter((from) => gapTo(from) <= one.wide / 2 + 8)]
    const from = places.find(free)
    if (from === undefined) continue
    said.set(one, from)
    taken.push({ bar: Number.NaN, from, to: from + 2 * half, low, high: low + LETTERS })
  }
  return said
}

function Columns({
  half,
  geometry,
  base,
  stripe,
  up,
}: {
  half: Half
  geometry: Geometry
  base: number
  /** Where the line of the stripe size stands: no number lies on it. */
  stripe: number | null
  up: boolean
}) {
  const mark = useMarks()
  const { left, band, width } = geometry
  const { scale, ticks } = heightsOf(half)
  const both = half.slots.some((s) => s.read > 0) && half.slots.some((s) => s.write > 0)
  const gap = Math.min(5, band * 0.12)
  const y = (v: number) => (up ? base - scale(v) : base + scale(v))
  const each = (band - 2 * gap) / (both ? 2 : 1)
  const bars = half.slots.flatMap((slot, i) =>
    (['write', 'read'] as const)
      .filter((kind) => slot[kind] > 0)
      .map((kind) => ({
        slot,
        kind,
        value: slot[kind],
        x: left + i * band + gap + (both && kind === 'read' ? each : 0),
        wide: Math.max(2, each - 1),
        tall: Math.max(1.5, scale(slot[kind])),
        words: count(slot[kind]),
      })),
  )
  const numbers = numbersOn(bars, stripe, width)
  return (
    <g>
      <Axis
        side="left"
        edge={left}
        scale={y}
        ticks={ticks.map((at) => ({ at, words: at > 0 ? count(at) : '' }))}
        grid={[left, width - 4]}
      />
      {bars.map((bar) => {
        const { slot, kind, value, x, wide, tall, words } = bar
        return (
          <rect
            key={`${slot.low}-${slot.high}${kind}`}
            {...mark({ kind: 'direction', id: kind }, css[kind])}
            x={x}
            y={up ? base - tall : base}
            width={wide}
            height={tall}
          >
            <title>{`${words} ${value === 1 ? kind : `${kind}s`}, ${rangeWords(slot)}`}</title>
          </rect>
        )
      })}
      {bars.map((bar) => {
        const from = numbers.get(bar)
        return from === undefined ? null : (
          <text
            key={`${bar.slot.low}-${bar.slot.high}${bar.kind}`}
            className={css.label}
            x={from + textWidth(bar.words) / 2}
            y={up ? base - bar.tall - FROM_BAR : base + bar.tall + FROM_BAR + 7}
            textAnchor="middle"
          >
            {bar.words}
          </text>
        )
      })}
    </g>
  )
}

function Edges({ slots, geometry, y }: { slots: readonly Slot[]; geometry: Geometry; y: number }) {
  const { left, band } = geometry
  let last = Number.NEGATIVE_INFINITY
  return (
    <g>
      {slots.map((slot, i) => {
        const exact = slot.low === slot.high
        // The edge before and after "exactly 1 MiB" is the same number: say it once, under its column.
        if (!exact && slots[i - 1]?.low === MIB) return null
        const text = exact ? `= ${short(slot.low)}` : short(slot.low)
        const x = left + (exact ? i + 0.5 : i) * band
        const room = textWidth(text) / 2
        if (x - room < last + 4) return null
        last = x + room
        return (
          <text
            key={`${slot.low}-${slot.high}`}
            className={exact ? css.label : ''}
            x={x}
            y={y}
            textAnchor="middle"
          >
            {text}
          </text>
        )
      })}
      <text x={geometry.width - 4} y={y} textAnchor="end">
        B
      </text>
    </g>
  )
}

/** "Most common at POSIX: 1,000 B (7,990), 512 KiB (9)." */
function commonWords(layer: Half['layer'], common: Sizes['common']): string | false {
  const mine = common.filter((c) => c.layer === layer).slice(0, 3)
  if (mine.length === 0) return false
  const words = mine.map((c) => `${exact(c.size_bytes)} (${count(c.count)})`)
  return `Most common at ${layer}: ${words.join(', ')}.`
}

/** Bytes as they are where they are no round number of a larger unit. */
const exact = (bytes: number) =>
  bytes % 1024 === 0 || bytes >= 1e6 ? format(bytes, 'B') : `${count(bytes)} B`

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
    head: ['layer and size', 'writes', 'reads', 'both'],
    rows: [
      ...halves.flatMap((h) =>
        h.slots
          .filter((slot) => total(slot) > 0)
          .map((slot) => [
            `${h.layer}, ${rangeWords(slot)}`,
            count(slot.write),
            count(slot.read),
            count(total(slot)),
          ]),
      ),
      ...common.map((c) => [
        `${c.layer}, of exactly ${quantity(c.size_bytes, 'B').exact}`,
        '',
        '',
        `at least ${count(c.count)}`,
      ]),
    ],
  }),
  Plot,
})
