import { GRADES } from '../../analysis/order'
import type { Grade } from '../../api/types'
import type { queueQuery, Sort, TicketStatus } from '../queries'

/** What a person chose on the queue, as the address carries it. */
export interface QueueSearch {
  q?: string
  /** Severities with commas between. */
  severity?: string
  /** One status, "open" for all but closed (and where nothing is said), or "all". */
  status?: string
  /** Somebody's id, or "nobody". */
  owner?: string
  user?: string
  system?: string
  project?: string
  application?: string
  rule?: string
  job?: string
  /** Hours. */
  older?: string
  sort?: string
  /** The selected entry. */
  at?: string
}

const OPEN: readonly TicketStatus[] = ['new', 'in work', 'waiting', 'answered']
export const STATUS_WORDS: Readonly<Record<TicketStatus, string>> = {
  new: 'new',
  'in work': 'in work',
  waiting: 'waiting for the user',
  answered: 'answered',
  closed: 'closed',
}
export const STATUSES: readonly TicketStatus[] = [...OPEN, 'closed']
export const SORTS: Readonly<Record<Sort, string>> = {
  urgency: 'most urgent first',
  oldest: 'oldest first',
  newest: 'newest first',
  changed: 'changed last first',
  'io time': 'most time in I/O first',
  lost: 'most seconds lost first',
  'node-hours': 'most node-hours lost first',
  saves: 'most to save first',
  owner: 'by owner',
  user: 'by user',
  job: 'by job',
}
/** What narrows the list to what an entry is of. */
export const FACETS = ['user', 'project', 'system', 'application', 'rule', 'job'] as const
const KEYS = ['q', 'severity', 'status', 'owner', ...FACETS, 'older', 'sort', 'at'] as const

/** Unknown keys and empty values are dropped: an address never breaks the page. */
export function validateQueueSearch(raw: Record<string, unknown>): QueueSearch {
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const value = raw[key]
      return typeof value === 'string' && value !== '' ? [[key, value.slice(0, 500)] as const] : []
    }),
  )
}

const isStatus = (word: string): word is TicketStatus => STATUSES.some((one) => one === word)
const isSort = (word: string): word is Sort => word in SORTS

export const sortOf = ({ sort }: QueueSearch): Sort => (sort !== undefined && isSort(sort) ? sort : 'urgency')

export function severitiesOf({ severity }: QueueSearch): readonly Grade[] {
  const chosen = severity?.split(',') ?? []
  return GRADES.filter((one) => chosen.includes(one))
}

function statusesOf({ status = 'open' }: QueueSearch): readonly TicketStatus[] {
  if (status === 'all') return []
  return isStatus(status) ? [status] : OPEN
}

/** Whether those that are done are among what is looked for. */
export function hasClosed(search: QueueSearch): boolean {
  const statuses = statusesOf(search)
  return statuses.length === 0 || statuses.includes('closed')
}

/** What the server is asked for. */
export function askedOf(search: QueueSearch): Parameters<typeof queueQuery>[0] {
  const { q, owner, older } = search
  const hours = Number(older)
  const facets = Object.fromEntries(
    FACETS.flatMap((key) => (search[key] === undefined ? [] : [[key, search[key]]])),
  )
  return {
    status: [...statusesOf(search)],
    severity: [...severitiesOf(search)],
    sort: sortOf(search),
    ...facets,
    ...(q !== undefined && { words: q }),
    ...(owner === 'nobody' ? { unowned: true } : owner !== undefined && { owner }),
    ...(hours > 0 && { older_than_h: hours }),
  }
}
