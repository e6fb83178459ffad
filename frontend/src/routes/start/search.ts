import { GRADES } from '../../analysis/order'
import type { CaseSummary } from '../../api/types'

/** How the list of cases is ordered; without one, the newest stand first. */
export type Order = 'severity' | 'time'

/** What a person chose on the list of cases: `?q=plume&order=severity`. */
export interface StartSearch {
  q?: string
  order?: Order
  /** At least so bad. */
  least?: Least
}

export const LEAST = ['high', 'medium', 'low'] as const
export type Least = (typeof LEAST)[number]

/** Malformed values are dropped: an address never breaks the page. */
export function validateStartSearch(raw: Record<string, unknown>): StartSearch {
  const search: StartSearch = {}
  if (typeof raw.q === 'string' && raw.q.trim() !== '') search.q = raw.q
  if (raw.order === 'severity' || raw.order === 'time') search.order = raw.order
  const least = LEAST.find((grade) => grade === raw.least)
  if (least) search.least = least
  return search
}

/** A case without a document, failed or being read, stands behind those that have one. */
const rank = ({ severity }: CaseSummary) => (severity === null ? GRADES.length : GRADES.indexOf(severity))

/** The cases that have every word of `q`, or that the server `found` by their files, rules and nodes, in the order chosen;
 * equals stay as given, newest first. */
export function listed(
  cases: readonly CaseSummary[],
  { q, order, least }: StartSearch,
  found: ReadonlySet<string>,
): readonly CaseSummary[] {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const asked = cases.filter((row) => {
    if (least && rank(row) > GRADES.indexOf(least)) return false
    const text = textOf(row)
    return found.has(row.id) || words.every((word) => text.includes(word))
  })
  if (order === 'severity') return asked.toSorted((a, b) => rank(a) - rank(b))
  if (order === 'time') return asked.toSorted((a, b) => (b.io_time_s ?? -1) - (a.io_time_s ?? -1))
  return asked
}

/** For each case whose sources were given again, the newest case of them; the cases are newest first. */
export function givenAgain(cases: readonly CaseSummary[]): ReadonlyMap<string, CaseSummary> {
  const newest = new Map<string, CaseSummary>()
  const again = new Map<string, CaseSummary>()
  for (const row of cases) {
    const first = newest.get(row.sources_alike)
    if (first) again.set(row.id, first)
    else newest.set(row.sources_alike, row)
  }
  return again
}

const textOf = (row: CaseSummary): string =>
  [row.title, row.job_id, row.executable, row.headline, row.status === 'failed' ? 'failed' : row.severity]
    .filter((part) => part !== null)
    .join(' ')
    .toLowerCase()
