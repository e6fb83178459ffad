/** What a person chose on the view of all ranks: `?layer=POSIX&of=time&order=sorted`. */
export interface RanksSearch {
  /** A layer of the answer; without it the first. */
  layer?: string
  /** Seconds in calls instead of bytes. */
  of?: 'time'
  /** Most first instead of by number. */
  order?: 'sorted'
}

/** Unknown keys and malformed values are dropped: an address never breaks the page. */
export function validateRanksSearch(raw: Record<string, unknown>): RanksSearch {
  const search: RanksSearch = {}
  if (typeof raw.layer === 'string' && /^[\w-]+$/.test(raw.layer)) search.layer = raw.layer
  if (raw.of === 'time') search.of = raw.of
  if (raw.order === 'sorted') search.order = raw.order
  return search
}
