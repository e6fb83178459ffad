import { greatest } from 'd3-array'
import type { CaseDocument } from '../../analysis/caseDocument'
import type { MissingEvidence } from '../frame/chart'
import { DARSHAN } from '../frame/evidence'

type Histogram = CaseDocument['charts']['sizes'][number]
type Direction = Histogram['direction']

/** One column: a range of sizes, or exactly 1 MiB. */
export interface Slot {
  readonly low: number
  readonly high: number | null
  readonly read: number
  readonly write: number
}
export interface Half {
  readonly layer: Histogram['layer']
  readonly slots: readonly Slot[]
  readonly partial: boolean
}
export interface Sizes {
  /** What the program asked for (MPI-IO) above what the file system was given (POSIX); either may be missing. */
  readonly halves: readonly Half[]
  /** Bytes; the layout of the files that carry most bytes, null where none is recorded. */
  readonly stripe: number | null
  readonly common: CaseDocument['charts']['common_sizes']
}

export const MIB = 1_048_576

export function read(document: CaseDocument): Sizes | MissingEvidence {
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
  return greatest(weight, ([, bytes]) => bytes)?.[0] ?? null
}

export const total = (slot: Slot) => slot.read + slot.write
