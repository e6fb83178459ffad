/** What a person chose on the view of all ranks: `?layer=POSIX&of=time&order=sorted`. */
export interface RanksSearch {
  /** A layer of the answer; without it that of the leading finding, else the first. */
  layer?: string
  /** Seconds in calls, or bytes; without it what the leading finding is about. */
  of?: 'time' | 'bytes'
  /** Most first instead of by number. */
  order?: 'sorted'
}

/** Unknown keys and malformed values are dropped: an address never breaks the page. */
export function validateRanksSearch(raw: Record<string, unknown>): RanksSearch {
  const search: RanksSearch = {}
  if (typeof raw.layer === 'string' && /^[\w-]+$/.test(raw.layer)) search.layer = raw.layer
  if (raw.of === 'time' || raw.of === 'bytes') search.of = raw.of
  if (raw.order === 'sorted') search.order = raw.order
  return search
}
