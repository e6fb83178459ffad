import type { CaseDocument } from '../../analysis/decided'
import { count, format } from '../../format'

type Series = NonNullable<CaseDocument['charts']['ranks']>['series'][number]
type Amounts = Series['busiest']

/** Where the figures of each rank come from. */
export const BASES: Readonly<Record<Series['basis'], string>> = {
  records: 'records of every rank',
  trace: 'DXT, every call',
  heatmap: 'HEATMAP',
  craypat: 'CrayPAT, rows of every rank',
}

export const LAYER_WORDS: Readonly<Record<Series['layer'], string>> = {
  'MPI-IO': 'MPI-IO',
  POSIX: 'POSIX',
  STDIO: 'STDIO',
  DFS: 'DFS',
  DAOS: 'DAOS',
  calls: 'the calls that CrayPAT traced',
}

export const bytesOf = (rank: Amounts): number => rank.bytes_read + rank.bytes_written

export function secondsOf(rank: Amounts): number | null {
  const known = [rank.read_s, rank.write_s, rank.metadata_s].filter((s) => s !== null)
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0)
}

/** Shares that differ by less than this are even. */
export const EVEN = 1.1

/** "rank 0 moves all 140 GiB", "all 8 ranks move 1.00 MiB each". */
export function busiestWords(series: Series): string {
  const { busiest, ranks, active, movers, total_bytes: total, partial } = series
  const least = partial ? 'at least ' : ''
  const most = bytesOf(busiest)
  if (movers === 1) {
    const all = active === 1 ? 'all ' : `nearly all of the `
    return `rank ${count(busiest.rank)} alone moves ${ranks === 1 ? '' : all}${format(total, 'B')}`
  }
  const who =
    movers === ranks ? `all ${count(ranks)} ranks` : `${least}${aboutRanks(movers)} of ${count(ranks)} ranks`
  if (most <= EVEN * (total / movers))
    return `${who} move ${movers < active ? 'most of the ' : ''}bytes, about ${format(total / movers, 'B')} each`
  return `${who} move bytes, and rank ${count(busiest.rank)} most: ${format(most, 'B')}, ${count(most / (total / ranks))} times the mean`
}

/** "Rank 3 is the slowest: 12.0 s in calls, 1.8 times the mean."; where all take as long, that. Of the job only the
 * account says who is the slowest; at one layer, or by reads and writes alone, it may be another. */
export function slowestWords(series: Series, ofJob: number | null): string {
  const { slowest, mean_s: mean, basis } = series
  const seconds = slowest ? secondsOf(slowest) : null
  if (!slowest || seconds === null) return ''
  const calls = basis === 'trace' ? 'reads and writes' : 'calls'
  if (mean && seconds <= EVEN * mean)
    return `All take about as long: rank ${count(slowest.rank)}, the longest, ${format(seconds, 's')} in ${calls}.`
  const against = mean ? `, ${count(seconds / mean)} times the mean` : ''
  const which = slowest.rank === ofJob ? 'is the slowest' : 'takes longest there'
  return `Rank ${count(slowest.rank)} ${which}: ${format(seconds, 's')} in ${calls}${against}.`
}

/** A count of ranks worked out from a variance is rarely whole: "4", "11.7". */
export const ranksWords = (ranks: number): string =>
  Math.abs(ranks - Math.round(ranks)) < 0.005 ? count(Math.round(ranks)) : count(ranks)

/** The same for a sentence: "1", "11.7" as "about 12". */
export const aboutRanks = (ranks: number): string =>
  ranks < 3 || ranksWords(ranks) === count(Math.round(ranks))
    ? ranksWords(ranks)
    : `about ${count(Math.round(ranks))}`
