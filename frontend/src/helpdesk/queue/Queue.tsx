import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { ForStaff } from '../../access/ForStaff'
import { meQuery } from '../../access/queries'
import { count, format, plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { useMedia } from '../../ui/useMedia'
import { useStillOnPage } from '../../ui/useStillOnPage'
import { ageOf } from '../age'
import { boundOfLost } from '../ioTimeWords'
import { KeyHelp, type KeyWords, useEscape, useKeys } from '../keyboard'
import { act, type QueueAction, type QueueCounts, type QueueEntry, queueQuery } from '../queries'
import { BulkActions } from './BulkActions'
import { Preview } from './Preview'
import css from './Queue.module.css'
import { QueueFilters } from './QueueFilters'
import { isUnanswered, nameOf, QueueRows, rerunOf } from './QueueRows'
import { askedOf, type QueueSearch } from './search'
import { useCurrentEntry } from './useCurrentEntry'

const route = getRouteApi('/queue')

const KEYS: KeyWords = [
  ['j', 'next entry'],
  ['k', 'previous entry'],
  ['o', 'open its ticket, or its case'],
  ['x', 'choose it, to act on several at once'],
  ['a', 'take it, or the chosen ones'],
  ['r', 'copy its reply'],
  ['m', 'mark it as answered, or the chosen ones'],
  ['w', 'mark it as waiting for the user'],
  ['c', 'close it, or the chosen ones'],
  ['/', 'find'],
  ['Esc', 'choose none'],
  ['?', 'this list'],
]

/** As in Queue.module.css. */
const ROOM_BESIDE = '(min-width: 68.76em)'

/** Which ticket next: tickets, and cases that nobody has taken. */
export const Queue = () => (
  <ForStaff>
    <Entries />
  </ForStaff>
)

function Entries() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/queue' })
  const stillHere = useStillOnPage()
  const queries = useQueryClient()
  const me = useQuery(meQuery).data?.id ?? null
  const asked = useMemo(() => askedOf(search), [search])
  const query = useInfiniteQuery(queueQuery(asked))
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set())
  const [help, setHelp] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const words = useRef<HTMLInputElement>(null)
  const entries = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? [], [query.data])
  const counts = query.data?.pages[0]?.counts ?? null
  const newest = query.data?.pages[0]?.newest ?? null
  const beside = useMedia(ROOM_BESIDE)
  const { index, current, followTicket } = useCurrentEntry(entries, search.at)
  const chosen = entries.filter((entry) => ticked.has(entry.id))

  const change = useCallback(
    (set: QueueSearch) => {
      if (set.at !== undefined) followTicket(null)
      if (!stillHere()) return
      navigate({
        search: (old) =>
          Object.fromEntries(Object.entries({ ...old, ...set }).filter(([, value]) => value !== '')),
        replace: true,
        resetScroll: false,
      })
    },
    [navigate, stillHere, followTicket],
  )
  const acting = useMutation({
    mutationFn: act,
    onSuccess: (done, what) => {
      if (done.every((one) => one.refused === null)) setTicked(new Set())
      const [one] = done
      if (one && done.length === 1 && one.refused === null && !leaves(what)) followTicket(one.ticket)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['queue'] }),
  })
  const doTo = (some: readonly QueueEntry[], what: Pick<QueueAction, 'owner' | 'status'>) => {
    if (some.length === 0) return
    const named = some.map(({ ticket, case: of, version }) =>
      ticket === null ? { case: of, version } : { ticket, version },
    )
    acting.mutate({ entries: named, ...what })
    const next =
      leaves(what) && some.length === 1 && some[0] === current ? nextAfter(entries, index) : undefined
    if (next) change({ at: String(next.id) })
    setSaid(
      leaves(what)
        ? `${some.length === 1 && some[0] ? nameOf(some[0]) : plural(some.length, 'entry', 'entries')}: ${what.status}`
        : null,
    )
  }
  const those = chosen.length > 0 ? chosen : current ? [current] : []
  const take = (some: readonly QueueEntry[]) => me !== null && doTo(some, { owner: me, status: 'in work' })
  const open = (entry: QueueEntry) =>
    entry.ticket !== null
      ? navigate({ to: '/tickets/$ticketId', params: { ticketId: String(entry.ticket) } })
      : entry.case !== null && navigate({ to: '/cases/$caseId', params: { caseId: entry.case } })
  const move = (by: number) => {
    const next = entries[Math.max(0, Math.min(entries.length - 1, index + by))]
    if (next) change({ at: String(next.id) })
    if (index + by >= entries.length - 1 && query.hasNextPage) void query.fetchNextPage()
  }
  const tick = useCallback(
    (id: number) =>
      setTicked((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const look = useCallback((entry: QueueEntry) => change({ at: String(entry.id) }), [change])
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => current && tick(current.id),
    o: () => current && open(current),
    a: () => take(those),
    m: () => doTo(those, { status: 'answered' }),
    w: () => doTo(those, { status: 'waiting' }),
    c: () => doTo(those, { status: 'closed' }),
    '/': () => words.current?.focus(),
    '?': () => setHelp(true),
  })
  useEscape(() => setTicked(new Set()))
  const preview = current && (
    <Preview
      entry={current}
      mine={me !== null && current.owner === me}
      onTake={() => take([current])}
      onNarrow={change}
    />
  )
  const refused = acting.data?.filter((one) => one.refused !== null) ?? []
  return (
    <>
      <title>Queue · IOtriage</title>
      <div className={css.title}>
        <h1>{headOf(entries, search, counts)}</h1>
        {counts && <p>{summaryOf(counts)}</p>}
        <p role="status">{acting.isSuccess && refused.length === 0 && said}</p>
      </div>
      <QueueFilters search={search} counts={counts} me={me} words={words} onChange={change} />
      {(acting.error || refused.length > 0) && (
        <div className={css.said}>
          <Notice failed title={acting.error ? 'Nothing was changed' : 'Some were not changed'}>
            {acting.error?.message ?? refused.map((one) => one.refused).join(' ')}
          </Notice>
        </div>
      )}
      {newest !== null && (
        <p className={css.said} role="status">
          More than {count(newest)} entries have these words: here are those {count(newest)} that came last. A
          further word or filter finds the others.
        </p>
      )}
      {query.isPending ? (
        <div className={css.waiting} role="status" aria-label="The queue is being fetched">
          {Array.from({ length: 8 }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are alike
            <Skeleton key={i} height={44} />
          ))}
        </div>
      ) : query.error && !query.data ? (
        <div className={css.waiting}>
          <QueryProblem query={query} what="The queue" />
        </div>
      ) : entries.length === 0 ? (
        <Nothing filtered={isFiltered(search)} onAll={() => navigate({ search: {} })} />
      ) : (
        <div className={css.split}>
          <div className={css.list}>
            <QueueRows
              entries={entries}
              current={current}
              ticked={ticked}
              me={me}
              below={!beside && search.at !== undefined && preview}
              onTick={tick}
              onLook={look}
            />
            {query.hasNextPage && (
              <More
                total={counts?.total ?? null}
                fetching={query.isFetchingNextPage}
                onMore={() => query.fetchNextPage()}
              />
            )}
            <MainKeys />
          </div>
          {beside && preview}
        </div>
      )}
      {chosen.length > 0 && (
        <BulkActions
          chosen={chosen}
          onTake={() => take(chosen)}
          onDo={(what) => doTo(chosen, what)}
          onNone={() => setTicked(new Set())}
        />
      )}
      {help && <KeyHelp keys={KEYS} about="They act on the selected entry." onClose={() => setHelp(false)} />}
    </>
  )
}

/** What asks nothing more of the helpdesk for now. */
const leaves = ({ status }: Pick<QueueAction, 'status'>): boolean =>
  status === 'answered' || status === 'waiting' || status === 'closed'

/** Who has dealt with an entry goes on to the next that waits, and from the last of the list to the first. */
function nextAfter(entries: readonly QueueEntry[], index: number): QueueEntry | undefined {
  const others = [...entries.slice(index + 1), ...entries.slice(0, index)]
  return others.find(isUnanswered)
}

const isFiltered = (search: QueueSearch): boolean =>
  Object.keys(search).some((key) => key !== 'sort' && key !== 'at')

function More({ total, fetching, onMore }: { total: number | null; fetching: boolean; onMore: () => void }) {
  return (
    <button type="button" className={`${button.button} ${css.more}`} disabled={fetching} onClick={onMore}>
      Show more{total !== null && ` of ${count(total)}`}
    </button>
  )
}

const MainKeys = () => (
  <p className={css.keys}>
    <Key name="j" /> <Key name="k" /> next, previous <Key name="o" /> open <Key name="a" /> take it{' '}
    <Key name="r" /> copy reply <Key name="m" /> answered <Key name="c" /> close <Key name="?" /> all keys
  </p>
)

const Key = ({ name }: { name: string }) => <kbd>{name}</kbd>

/** What waits most urgently; no more than that this is the queue where nothing does of what was asked for. */
function headOf(entries: readonly QueueEntry[], search: QueueSearch, counts: QueueCounts | null): string {
  if (counts !== null && entries.length === 0 && !isFiltered(search)) return 'Nothing waits here'
  const first = entries.find(isUnanswered)
  if (first === undefined || search.sort !== undefined) return 'Queue'
  return unbroken(`Next: ${nameOf(first)}, waiting ${ageOf(first.created_at)}${whyOf(first)}`)
}

/** What a rerun showed; before there is one, the figure of its row. What its cure could save is another one, which its page
 * explains. */
function whyOf(entry: QueueEntry): string {
  if (entry.outcome !== null) return `; ${rerunOf(entry.outcome)}`
  return entry.lost_s === null ? '' : `, loses ${boundOfLost(entry)}${format(entry.lost_s, 's')} a run`
}

function summaryOf({ total, without_owner, by_severity }: QueueCounts): string {
  const high = by_severity.high ?? 0
  return [
    plural(total, 'entry', 'entries'),
    ...(high > 0 ? [`${count(high)} high`] : []),
    `${count(without_owner)} without owner`,
  ].join(DOT)
}

function Nothing({ filtered, onAll }: { filtered: boolean; onAll: () => void }) {
  return (
    <div className={css.waiting}>
      {filtered ? (
        <Notice
          title="No entry matches"
          actions={
            <button type="button" className={button.button} onClick={onAll}>
              Show all open entries
            </button>
          }
        >
          Remove a filter, or look among the closed ones.
        </Notice>
      ) : (
        <Notice title="How logs get here">
          Logs that people give, on the <Link to="/">start page</Link> or with <code>iotriage submit</code>,
          wait here until somebody has answered.
        </Notice>
      )}
    </div>
  )
}
