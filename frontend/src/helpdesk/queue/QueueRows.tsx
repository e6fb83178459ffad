import { Link } from '@tanstack/react-router'
import { Fragment, memo, type ReactNode, useEffect, useRef } from 'react'
import { capital, plural, unbroken } from '../../format'
import { Portrait } from '../../portrait/Portrait'
import { BothEnds } from '../../ui/BothEnds'
import { DOT } from '../../ui/Dotted'
import { Missing } from '../../ui/Missing'
import { Num } from '../../ui/Num'
import { type Mark, SeverityMark, SeverityWord } from '../../ui/Severity'
import table from '../../ui/Table.module.css'
import { ageOf, waitsLong } from '../age'
import { boundOfLost, ioTimeWords } from '../ioTimeWords'
import type { QueueEntry } from '../queries'
import { TicketName, ticketName } from '../TicketName'
import css from './Queue.module.css'
import { STATUS_WORDS } from './search'

const COLUMNS = 9

/** One line for each entry; a phone tells it as a list. */
export function QueueRows({
  entries,
  current,
  ticked,
  me,
  below,
  onTick,
  onLook,
}: {
  entries: readonly QueueEntry[]
  current: QueueEntry | null
  ticked: ReadonlySet<number>
  /** Whose page it is. */
  me: string | null
  /** More of the current one, where there is no room beside the list. */
  below: ReactNode
  onTick: (id: number) => void
  onLook: (entry: QueueEntry) => void
}) {
  return (
    <table className={`${table.table} ${css.rows}`}>
      <caption className="vh">Tickets, and cases that nobody has taken</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="vh">choose</span>
          </th>
          <th scope="col">severity</th>
          <th scope="col" title="Layers from top to bottom, in each its ranks; the run from left to right">
            picture
          </th>
          <th scope="col">what it says</th>
          <th scope="col">job</th>
          <th scope="col">user, project</th>
          <th scope="col" className="num" title="What the cause on top takes, and what follows from it">
            lost a run
          </th>
          <th scope="col" className="num">
            age
          </th>
          <th scope="col">owner, status</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Fragment key={entry.id}>
            <Row
              entry={entry}
              current={entry.id === current?.id}
              ticked={ticked.has(entry.id)}
              me={me}
              onTick={onTick}
              onLook={onLook}
            />
            {below && entry.id === current?.id && (
              <tr className={css.below}>
                <td colSpan={COLUMNS}>{below}</td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

/** Of a case that has no sentence of its own. */
const WITHOUT_SENTENCE: Readonly<Record<NonNullable<QueueEntry['case_status']>, string>> = {
  reading: 'Waits to be read, or is being read',
  ready: 'Nothing is said of it',
  failed: 'Could not be diagnosed; its page says why',
}

/** What the entry says, or why it says nothing. */
export const saidOf = ({ headline, unread, case_status, title }: QueueEntry): string =>
  headline !== null || unread !== null
    ? unbroken(headline ?? unread ?? '')
    : case_status === null
      ? title
      : WITHOUT_SENTENCE[case_status]

/** The same in a line of two: the seconds have a column of their own. */
export const briefly = (entry: QueueEntry): string =>
  entry.lost_s === null || entry.sentence === null ? saidOf(entry) : unbroken(entry.sentence)

/** What became of the advice: all else of an entry is of the run before it. */
export const rerunOf = (outcome: string): string => unbroken(`rerun: ${outcome}`)

/** What could not be read beside what the entry says; null where it says that itself, or there is nothing of it. */
export const alsoUnread = ({ headline, unread }: QueueEntry): string | null =>
  headline === null || unread === null ? null : unbroken(`Not read: ${unread}`)

/** A case that could not be diagnosed has no severity: it is counted and filtered as unknown, and marked as what it is. */
export const markOf = ({ severity, case_status }: QueueEntry): Mark =>
  severity ?? (case_status === 'failed' ? 'error' : 'unknown')

/** By its ticket, else by its job; what names no job, as a benchmark's result, has its own name. */
export const nameOf = (entry: QueueEntry): string =>
  entry.ticket !== null
    ? ticketName(entry.ticket, entry.reference)
    : entry.job_id !== null
      ? `job ${entry.job_id}`
      : entry.title

/** Whether nobody has answered it yet. */
export const isUnanswered = ({ status }: QueueEntry): boolean => status === 'new' || status === 'in work'

/** Why no seconds are lost: nothing was found to take any of those that the evidence tells, or it tells none. */
const lostNothing = ({ severity, io_time_s }: QueueEntry): boolean =>
  io_time_s !== null && (severity === 'info' || severity === 'clear')

/** Drawn again where it changes itself: not with every letter of the words that are looked for. */
const Row = memo(function Row({
  entry,
  current,
  ticked,
  me,
  onTick,
  onLook,
}: {
  entry: QueueEntry
  current: boolean
  ticked: boolean
  me: string | null
  onTick: (id: number) => void
  onLook: (entry: QueueEntry) => void
}) {
  const row = useRef<HTMLTableRowElement>(null)
  // The one that the page begins with is in sight, or further down on purpose.
  const was = useRef(current)
  useEffect(() => {
    if (current && !was.current) row.current?.scrollIntoView?.({ block: 'nearest' })
    was.current = current
  }, [current])
  const mark = markOf(entry)
  // What names no job is named by its program already.
  const program = entry.job_id !== null || entry.application !== entry.title ? entry.application : null
  return (
    <tr ref={row} aria-current={current || undefined} onClick={() => onLook(entry)}>
      <td className={css.tick}>
        <input
          type="checkbox"
          aria-label={`Choose ${nameOf(entry)}`}
          checked={ticked}
          onChange={() => onTick(entry.id)}
        />
      </td>
      <td className={css.grade}>
        <SeverityMark mark={mark} /> <SeverityWord mark={mark} />
      </td>
      <td className={css.picture}>{entry.case === null ? null : <Portrait of={entry.portrait} />}</td>
      <td className={css.what}>
        <EntryLink entry={entry}>{briefly(entry)}</EntryLink>
        {entry.outcome !== null && <small>{capital(rerunOf(entry.outcome))}</small>}
        {alsoUnread(entry) !== null && <small>{alsoUnread(entry)}</small>}
      </td>
      <td className={css.two} data-label={entry.job_id === null ? 'named' : 'job'}>
        {entry.case === null ? (
          <Missing>no case yet</Missing>
        ) : (
          <Link to="/cases/$caseId" params={{ caseId: entry.case }} title={entry.job_id ?? entry.title}>
            <BothEnds name={entry.job_id ?? entry.title} lines={3} />
          </Link>
        )}
        {entry.job_entries > 1 && (
          <Link className={css.steps} to="/queue" search={{ job: entry.job_id ?? '', status: 'all' }}>
            1 of {entry.job_entries}
          </Link>
        )}
        <small title={[entry.application, entry.system].filter(Boolean).join(' ')}>
          {program && (
            <span className="mono">
              <BothEnds name={program} lines={3} />
            </span>
          )}
          {program && entry.system && ' '}
          {entry.system}
        </small>
      </td>
      <td className={css.two} data-label="user">
        {entry.user ?? <Missing reason="No source names the user.">not known</Missing>}
        <small>{entry.project}</small>
      </td>
      <td className={`num ${css.two}`} data-label="lost a run">
        {entry.lost_s !== null ? (
          <>
            {boundOfLost(entry) && <span className="muted">{boundOfLost(entry)}</span>}
            <Num value={entry.lost_s} unit="s" />
          </>
        ) : lostNothing(entry) ? (
          <span
            className="muted"
            title={`All its I/O took ${ioTimeWords(entry)}: no finding takes time of it.`}
          >
            little
          </span>
        ) : (
          <Missing reason="No source says how long it took.">not known</Missing>
        )}
        <small>{entry.node_hours !== null && hours(entry.node_hours)}</small>
      </td>
      <td
        data-label="age"
        className={`num ${css.two} ${css.age} ${waitsLong(entry.created_at) && entry.status !== 'closed' ? css.late : ''}`}
      >
        <time dateTime={entry.created_at}>{ageOf(entry.created_at)}</time>
        <small />
      </td>
      <td className={css.two} data-label="owner">
        {entry.owner === null ? (
          <span className="muted">nobody</span>
        ) : entry.owner === me ? (
          'you'
        ) : (
          entry.owner
        )}
        <small className={css.status}>
          {STATUS_WORDS[entry.status]}
          {entry.ticket !== null && (
            <>
              {DOT}
              <Link to="/tickets/$ticketId" params={{ ticketId: String(entry.ticket) }}>
                <TicketName>{ticketName(entry.ticket, entry.reference)}</TicketName>
              </Link>
            </>
          )}
        </small>
      </td>
    </tr>
  )
})

/** On one line. */
const hours = (value: number) =>
  (value >= 0.1 ? plural(value, 'node\u2011hour') : '< 0.1 node\u2011hours').replaceAll(' ', '\u00a0')

/** To its ticket, or to the case where nobody has taken it. */
export function EntryLink({ entry, children }: { entry: QueueEntry; children: ReactNode }) {
  if (entry.ticket !== null) {
    return (
      <Link to="/tickets/$ticketId" params={{ ticketId: String(entry.ticket) }}>
        {children}
      </Link>
    )
  }
  return entry.case === null ? (
    children
  ) : (
    <Link to="/cases/$caseId" params={{ caseId: entry.case }}>
      {children}
    </Link>
  )
}
