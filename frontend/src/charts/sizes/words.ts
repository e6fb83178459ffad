import { greatest, sum } from 'd3-array'
import { count, format } from '../../format'
import { type Half, type Sizes, type Slot, total } from './sizes'

/** Darshan's bins begin one byte above a round number: say the round number. */
export const edge = (bytes: number) =>
  format(bytes % 4 === 1 ? bytes - 1 : bytes, 'B').replace(/\.0+(?=\D)/, '')

export function rangeWords(slot: Slot): string {
  if (slot.low === slot.high) return `exactly ${edge(slot.low)}`
  if (slot.high === null) return `over ${edge(slot.low)}`
  if (slot.low <= 1) return `up to ${edge(slot.high)}`
  return `${edge(slot.low)} to ${edge(slot.high)}`
}

export const short = (bytes: number) => edge(bytes).replace(/B$/, '').replace('\u202f', ' ').trim()

/** "88 % of 4,000 accesses are", "all 4,000 accesses are", "the one access is". */
function partWords(some: number, all: number, partial: boolean): string {
  const accesses = `${count(all)}${partial ? ' recorded' : ''} accesses are`
  if (some < all) return `${format(some / all, 'share')} of ${accesses}`
  return all === 1 ? 'the one access is' : all === 2 && !partial ? 'both accesses are' : `all ${accesses}`
}

function most(half: Half): string {
  const all = sum(half.slots, total)
  const top = greatest(half.slots, total)
  return top ? `${partWords(total(top), all, half.partial)} ${rangeWords(top)}` : ''
}

export function sentence({ halves, stripe }: Sizes): string {
  const [first, second] = halves
  if (!first) return ''
  const tail = stripe ? ` One stripe is ${edge(stripe)}.` : ''
  if (second) return `Asked of MPI-IO, ${most(first)}; stored through POSIX, ${most(second)}.${tail}`
  return `At the ${first.layer} layer, ${most(first)}.${tail}`
}

export const nameOf = ({ layer, partial }: Half, below: boolean): string =>
  `${layer === 'MPI-IO' && !below ? 'asked: MPI-IO' : layer === 'POSIX' ? 'stored: POSIX' : layer}${partial ? ', lower bounds' : ''}`

/** "Most common at POSIX: 1,000 B (7,990), 512 KiB (9)." */
export function commonWords(layer: Half['layer'], common: Sizes['common']): string | false {
  const mine = common.filter((c) => c.layer === layer).slice(0, 3)
  if (mine.length === 0) return false
  const words = mine.map((c) => `${exact(c.size_bytes)} (${count(c.count)})`)
  return `Most common at ${layer}: ${words.join(', ')}.`
}

/** How often a size was asked for. A log keeps its four most common sizes of each file, and so it may have been more often, but
 * no more often than there are accesses in its bin. */
export function timesWords(
  { layer, size_bytes, count: times }: Sizes['common'][number],
  halves: Sizes['halves'],
): string {
  const half = halves.find((one) => one.layer === layer && !one.partial)
  const bin = half?.slots.findLast(({ low, high }) => low <= size_bytes && size_bytes <= (high ?? size_bytes))
  return `${bin && total(bin) === times ? '' : 'at least '}${count(times)}`
}

/** Bytes as they are where they are no round number of a larger unit. */
const exact = (bytes: number) =>
  bytes % 1024 === 0 || bytes >= 1e6 ? format(bytes, 'B') : `${count(bytes)} B`
