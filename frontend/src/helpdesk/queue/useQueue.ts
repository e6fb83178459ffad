import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { meQuery } from '../../access/queries'
import { searchWith } from '../../analysis/search'
import { useStillOnPage } from '../../ui/useStillOnPage'
import { type QueueEntry, queueQuery } from '../queries'
import { askedOf, type QueueSearch } from './search'
import { useActing } from './useActing'
import { useCurrentEntry } from './useCurrentEntry'
import { useTicked } from './useTicked'

const route = getRouteApi('/queue')

export type QueueState = ReturnType<typeof useQueue>

/** The entries that the address asks for, the one that is looked at, and what can be done to it or to those that are chosen. */
export function useQueue() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/queue' })
  const stillHere = useStillOnPage()
  const me = useQuery(meQuery).data?.id ?? null
  const asked = useMemo(() => askedOf(search), [search])
  const query = useInfiniteQuery(queueQuery(asked))
  const entries = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? [], [query.data])
  const place = useCurrentEntry(entries, search.at)
  const { index, current, followTicket } = place
  const ticking = useTicked(entries)
  const { chosen, tickNone } = ticking

  const change = useCallback(
    (set: QueueSearch) => {
      if (set.at !== undefined) followTicket(null)
      if (!stillHere()) return
      navigate({ search: (old) => searchWith(old, set), replace: true, resetScroll: false })
    },
    [navigate, stillHere, followTicket],
  )
  const look = useCallback((entry: QueueEntry) => change({ at: String(entry.id) }), [change])
  const acting = useActing(entries, place, look, tickNone)
  const { doTo } = acting
  return {
    ...ticking,
    ...acting,
    search,
    query,
    entries,
    current,
    me,
    change,
    look,
    /** Those that a key acts on. */
    those: chosen.length > 0 ? chosen : current ? [current] : [],
    take: (some: readonly QueueEntry[]) => me !== null && doTo(some, { owner: me, status: 'in work' }),
    open: (entry: QueueEntry) =>
      entry.ticket !== null
        ? navigate({ to: '/tickets/$ticketId', params: { ticketId: String(entry.ticket) } })
        : entry.case !== null && navigate({ to: '/cases/$caseId', params: { caseId: entry.case } }),
    move: (by: number) => {
      const next = entries[Math.max(0, Math.min(entries.length - 1, index + by))]
      if (next) look(next)
      if (index + by >= entries.length - 1 && query.hasNextPage) void query.fetchNextPage()
    },
    show: (next: QueueSearch) => navigate({ search: next }),
  }
}
