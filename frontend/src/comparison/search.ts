import { type DecidedBy, validateDecidedBy } from '../analysis/search'

/** What a person chose on the page of comparisons: `?cases=a,b&choose=1`. */
export interface CompareSearch extends DecidedBy {
  /** Ids of cases with commas between; the others are compared with the first. */
  cases?: string
  /** The list to choose cases from is open. */
  choose?: true
  /** The runs within the one case given: the output of a benchmark. */
  within?: true
}

const IDS = /^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,15}$/
export const MOST_CASES = 16

/** Malformed values are dropped: an address never breaks the page. */
export function validateCompareSearch(raw: Record<string, unknown>): CompareSearch {
  const search: CompareSearch = validateDecidedBy(raw)
  if (typeof raw.cases === 'string' && IDS.test(raw.cases)) search.cases = raw.cases
  if (raw.choose !== undefined) search.choose = true
  if (raw.within !== undefined) search.within = true
  return search
}

export const idsOf = (search: CompareSearch): readonly string[] => search.cases?.split(',') ?? []

/** The same address with the case added at the end, or taken out where it was in. */
export function toggled(search: CompareSearch, id: string): CompareSearch {
  const ids = idsOf(search)
  const { cases: _, within: __, ...rest } = search
  const now = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id].slice(0, MOST_CASES)
  return now.length > 0 ? { ...rest, cases: now.join(',') } : rest
}
