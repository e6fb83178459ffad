import { sum } from 'd3-array'
import type { CaseDocument } from '../../../analysis/caseDocument'
import { aboutRanks, capital, count, format, isWhole } from '../../../format'

type Series = NonNullable<CaseDocument['charts']['ranks']>['series'][number]
type Amounts = Series['busiest']

/** Where the figures of each rank come from. */
export const BASES: Readonly<Record<Series['basis'], string>> = {
  records: 'records of every rank',
  trace: 'DXT, every call',
  heatmap: 'HEATMAP',
  craypat: 'CrayPAT, rows of every rank',
}

export const layerInWords = (layer: Series['layer']): string =>
  layer === 'calls' ? 'the calls that CrayPAT traced' : layer

export const bytesOf = (rank: Amounts): number => rank.bytes_read + rank.bytes_written

/** Of a rank or of a layer; null where no source has a time of it. */
export function secondsOf({
  read_s,
  write_s,
  metadata_s,
}: Pick<Amounts, 'read_s' | 'write_s' | 'metadata_s'>): number | null {
  const known = [read_s, write_s, metadata_s].filter((s) => s !== null)
  return known.length === 0 ? null : sum(known)
}

/** Of the bytes: the others have little. */
const MOST = 0.75

/** Shares that differ by less than this are even. */
export const EVEN = 1.1

/** Ranks by the bytes that they move: `movers` are as many as would have them in equal parts, `active` those that move
 * any, where that is known. */
export interface Movers {
  readonly movers: number
  readonly active: number | null
  readonly ranks: number | null
}

/** "all 8 ranks", "both ranks", "2 of 8 ranks", "about 104 of 1,024 ranks". */
export function moversWords({ movers, ranks }: Omit<Movers, 'active'>): string {
  if (ranks !== null && ranks > 1 && Math.round(movers) === ranks)
    return ranks === 2 ? 'both ranks' : `all ${count(ranks)} ranks`
  if (ranks !== null && ranks > 1) return `${aboutRanks(movers)} of ${count(ranks)} ranks`
  return `${aboutRanks(movers)} ${isOne(movers) ? 'rank' : 'ranks'}`
}

/** Others move some bytes too, so that those of the movers are only most of them. */
export const haveMost = ({ movers, active, ranks }: Movers): boolean =>
  active === null ? !isWhole(movers) && Math.round(movers) !== ranks : Math.round(movers) !== active

/** "rank 0 moves all 140 GiB", "all 8 ranks move 1.00 MiB each". */
export function busiestWords(series: Series): string {
  const { busiest, ranks, active, movers, total_bytes: total, partial } = series
  const most = bytesOf(busiest)
  // Of missing records nobody knows how even they would make it.
  if (partial && active < ranks)
    return active === 1
      ? `rank ${busiest.rank} moves at least ${format(total, 'B')}; of others nothing is recorded`
      : `at least ${count(active)} of ${count(ranks)} ranks move bytes, and rank ${busiest.rank} most: ${format(most, 'B')}`
  if (isOne(movers)) {
    const all = active === 1 ? 'all ' : 'nearly all of the '
    return `rank ${busiest.rank} alone moves ${ranks === 1 ? '' : all}${format(total, 'B')}`
  }
  const others = haveMost(series)
  const who = `${moversWords(series)} move ${others ? 'most of the ' : ''}bytes`
  if (most <= EVEN * (total / movers)) return `${who}, about ${format(total / movers, 'B')} each`
  const busy = `rank ${busiest.rank}`
  const mean = `${count(most / (total / ranks))} times the mean`
  // Who has so much of the bytes is not one of several that have most of them.
  if (most >= MOST * total) return `${busy} moves ${format(most, 'B')} of ${format(total, 'B')}, ${mean}`
  const times = `${format(most, 'B')}, ${mean}`
  return others ? `${who}, ${busy} alone ${times}` : `${who}, and ${busy} most: ${times}`
}

/** The slowest of a layer takes about as long as the others: then nobody is slow, and it is the longest by chance. */
export function isSlowestAlike({ ranks, slowest, mean_s: mean }: Series): boolean {
  const seconds = slowest ? secondsOf(slowest) : null
  return ranks === 1 || (mean !== null && mean > 0 && seconds !== null && seconds <= EVEN * mean)
}

/** "Rank 3 takes longest in POSIX calls: 12.0 s, 1.8 times the mean."; where all take about the same, that. Of the job only
 * the account says who is the slowest, and its time is that of all layers. */
export function slowestWords(series: Series, ofJob: number | null): string {
  const { slowest, mean_s: mean } = series
  const seconds = slowest ? secondsOf(slowest) : null
  if (!slowest || seconds === null) return ''
  const calls = callsOf(series)
  const rank = `rank ${slowest.rank}`
  if (series.ranks === 1) return `It takes ${format(seconds, 's')} in ${calls}.`
  if (isSlowestAlike(series))
    return `All take about the same time in ${calls}: ${rank}, the longest, ${format(seconds, 's')}.`
  // Of what one rank alone does, its time over the mean is the number of ranks.
  const against = mean && !isOne(series.movers) ? `, ${count(seconds / mean)} times the mean` : ''
  return slowest.rank === ofJob
    ? `${capital(rank)}, the slowest of the job, takes ${format(seconds, 's')} in ${calls}${against}.`
    : `${capital(rank)} takes longest in ${calls}: ${format(seconds, 's')}${against}.`
}

/** The calls that the seconds of a rank are of: one layer's, and by a trace no metadata. */
function callsOf({ layer, basis }: Pick<Series, 'layer' | 'basis'>): string {
  if (layer === 'calls') return layerInWords(layer)
  return basis === 'trace' ? `${layerInWords(layer)} reads and writes` : `${layerInWords(layer)} calls`
}

export const isOne = (ranks: number): boolean => aboutRanks(ranks) === '1'
