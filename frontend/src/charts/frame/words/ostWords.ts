import { count, plural } from '../../../format'

/** "12 OSTs", "1 of 12 OSTs", "all 24 OSTs": on how many of a file system's the files lie. */
export function ostWords(used: number, total: number | null): string {
  if (total === null || total === 1) return plural(used, 'OST')
  if (used < total) return `${count(used)} of ${plural(total, 'OST')}`
  return total === 2 ? 'both OSTs' : `all ${plural(total, 'OST')}`
}
