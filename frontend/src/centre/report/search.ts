/** What a person chose on a report, as the address carries it; the day stands in the path. */
export interface ReportSearch {
  period?: 'week' | 'month'
  file_system?: string
  project?: string
  user?: string
  application?: string
}

export const FILTERS = ['file_system', 'project', 'user', 'application'] as const
export type Filter = (typeof FILTERS)[number]

/** Unknown keys and empty values are dropped: an address never breaks the page. */
export function validateReportSearch(raw: Record<string, unknown>): ReportSearch {
  const { period } = raw
  const filters = FILTERS.flatMap((key) => {
    const value = raw[key]
    return typeof value === 'string' && value !== '' ? [[key, value.slice(0, 4096)] as const] : []
  })
  return {
    ...(period === 'week' || period === 'month' ? { period } : {}),
    ...Object.fromEntries(filters),
  }
}

const DAY_MS = 86_400_000

/** When the day begins; NaN where an address has something else in its place. */
const beginOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** Not what a calendar would make another day of: "2026-02-30". */
export const isDay = (day: string): boolean =>
  !Number.isNaN(beginOf(day)) && new Date(beginOf(day)).toISOString().startsWith(day)

/** A day so many days later: "2026-11-20". */
const dayAfter = (day: string, days: number): string =>
  new Date(beginOf(day) + days * DAY_MS).toISOString().slice(0, 10)

/** The first day of the period before or after the one that `day` is in; from what is no day, none leads away. */
export function stepped(day: string, period: ReportSearch['period'], steps: 1 | -1): string {
  if (Number.isNaN(beginOf(day))) return day
  if (period === undefined) return dayAfter(day, steps)
  if (period === 'week') return dayAfter(day, 7 * steps)
  const [year = 1970, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + steps, 1)).toISOString().slice(0, 10)
}

const WORDS = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const dayText = (day: string, words: Intl.DateTimeFormat): string =>
  Number.isNaN(beginOf(day)) ? day : words.format(beginOf(day))

export const inWords = (day: string): string => dayText(day, WORDS)
export const short = (day: string): string => dayText(day, SHORT)
