import { Link } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import { ForStaff } from '../../access/ForStaff'
import { count, format, plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { useMedia } from '../../ui/useMedia'
import { ageOf } from '../age'
import { boundOfLost } from '../ioTimeWords'
import { KeyHelp, type KeyWords, useKeys } from '../keyboard'
import type { QueueCounts, QueueEntry } from '../queries'
import { BulkActions } from './BulkActions'
import { Preview } from './Preview'
import css from './Queue.module.css'
import { QueueFilters } from './QueueFilters'
import { isUnanswered, nameOf, QueueRows, rerunOf } from './QueueRows'
import { hasClosed, type QueueSearch } from './search'
import { type QueueState, useQueue } from './useQueue'

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
const ROOM_BESIDE = 'not all and (max-width: 68.75em)'

/** Which ticket next: tickets, and cases that nobody has taken. */
export const Queue = () => (
  <ForStaff>
    <Entries />
  </ForStaff>
)

function Entries() {
  const queue = useQueue()
  const [help, setHelp] = useState(false)
  const words = useRef<HTMLInputElement>(null)
  useQueueKeys(queue, words, () => setHelp(true))
  const { search, query, entries, chosen, doTo } = queue
  const { counts = null, newest = null } = query.data?.pages[0] ?? {}
  return (
    <>
      <title>Queue · IOtriage</title>
      <div className={css.title}>
        <h1>{headOf(entries, search, counts)}</h1>
        {counts && <p>{summaryOf(counts)}</p>}
        <p role="status">{queue.said}</p>
      </div>
      <QueueFilters search={search} counts={counts} me={queue.me} words={words} onChange={queue.change} />
      <NotChanged error={queue.error} refused={queue.refused} />
      {newest !== null && (
        <p className={css.said} role="status">
          More than {count(newest)} entries have these words: here are those {count(newest)} that came last. A
          further word or filter finds the others.
        </p>
      )}
      {query.isPending ? (
        <Waiting />
      ) : query.error && !query.data ? (
        <div className={css.waiting}>
          <QueryProblem query={query} what="The queue" />
        </div>
      ) : entries.length === 0 ? (
        <Nothing
          filtered={isFiltered(search)}
          onAll={() => queue.show({})}
          onClosed={hasClosed(search) ? null : () => queue.show({ ...search, status: 'all' })}
        />
      ) : (
        <ListAndPreview queue={queue} total={counts?.total ?? null} />
      )}
      {chosen.length > 0 && (
        <BulkActions
          chosen={chosen}
          onTake={() => queue.take(chosen)}
          onDo={(what) => doTo(chosen, what)}
          onNone={queue.tickNone}
        />
      )}
      {help && <KeyHelp keys={KEYS} about="They act on the selected entry." onClose={() => setHelp(false)} />}
    </>
  )
}

function useQueueKeys(queue: QueueState, words: RefObject<HTMLInputElement | null>, onHelp: () => void) {
  const { current, those, doTo, move } = queue
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => current && queue.tick(current.id),
    o: () => current && queue.open(current),
    a: () => queue.take(those),
    m: () => doTo(those, { status: 'answered' }),
    w: () => doTo(those, { status: 'waiting' }),
    c: () => doTo(those, { status: 'closed' }),
    '/': () => words.current?.focus(),
    '?': onHelp,
    Escape: queue.tickNone,
  })
}

/** The rows, and more of the one that is looked at: beside them, or below it where there is no room. */
function ListAndPreview({ queue, total }: { queue: QueueState; total: number | null }) {
  const { search, query, current, me } = queue
  const beside = useMedia(ROOM_BESIDE)
  const preview = current && (
    <Preview
      entry={current}
      mine={me !== null && current.owner === me}
      onTake={() => queue.take([current])}
      onNarrow={queue.change}
    />
  )
  return (
    <div className={css.split}>
      <div className={css.list}>
        <QueueRows
          entries={queue.entries}
          current={current}
          ticked={queue.ticked}
          me={me}
          below={!beside && search.at !== undefined && preview}
          onTick={queue.tick}
          onLook={queue.look}
        />
        {query.hasNextPage && (
          <More total={total} fetching={query.isFetchingNextPage} onMore={() => query.fetchNextPage()} />
        )}
        <MainKeys />
      </div>
      {beside && preview}
    </div>
  )
}

function NotChanged({ error, refused }: { error: Error | null; refused: readonly string[] }) {
  if (error === null && refused.length === 0) return null
  return (
    <div className={css.said}>
      <Notice failed title={error ? 'Nothing was changed' : 'Some were not changed'}>
        {error?.message ?? refused.join(' ')}
      </Notice>
    </div>
  )
}

const Waiting = () => (
  <div className={css.waiting} role="status" aria-label="The queue is being fetched">
    {Array.from({ length: 8 }, (_, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are alike
      <Skeleton key={i} height={44} />
    ))}
  </div>
)

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

function Nothing({
  filtered,
  onAll,
  onClosed,
}: {
  filtered: boolean
  onAll: () => void
  /** The same among those that are done; null where they are looked through already. */
  onClosed: (() => void) | null
}) {
  return (
    <div className={css.waiting}>
      {filtered ? (
        <Notice
          title="No entry matches"
          actions={
            <>
              {onClosed && (
                <button type="button" className={button.button} onClick={onClosed}>
                  Look among the closed, too
                </button>
              )}
              <button type="button" className={button.button} onClick={onAll}>
                Show all open entries
              </button>
            </>
          }
        />
      ) : (
        <Notice title="How logs get here">
          Logs that people give, on the <Link to="/">start page</Link> or with <code>iotriage submit</code>,
          wait here until somebody has answered.
        </Notice>
      )}
    </div>
  )
}
