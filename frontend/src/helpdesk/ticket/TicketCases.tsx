import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { moment, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice } from '../../ui/Notice'
import { SeverityMark } from '../../ui/Severity'
import { ioTimeWords } from '../ioTimeWords'
import type { Ticket } from '../queries'
import css from './Ticket.module.css'
import { attach, detach } from './ticketRequests'

const SIDES = ['before', 'after'] as const

/** Read, and nobody knows on which side of the advice it ran. */
const isUndated = (one: Ticket['cases'][number]): boolean => one.presumed && one.status === 'ready'

/** Who reads that none came would ask for what was sent. What was kept long enough the server deletes itself. */
function noLogs({ history }: Ticket) {
  const last = history.findLast(({ kind }) => kind === 'case removed' || kind === 'case deleted')
  if (last === undefined) return 'No log yet: add one, or ask the user for it.'
  return last.kind === 'case deleted'
    ? `No log any more: the last one was deleted by ${last.by}.`
    : 'No log any more: the last one was taken out.'
}

/** The runs that what became of the advice is told of; while that is of none that are here, the one that the ticket is
 * about, or of those that could be read the last, and the last after it. */
function heldRuns({ cases, leading, outcome }: Ticket): [before: string, after: string] | null {
  const read = cases.filter((one) => one.status === 'ready')
  const last = (role: 'before' | 'after') => read.findLast((one) => one.role === role)
  const named = (id: string | null | undefined) => read.find((one) => one.id === id)
  const told = [named(outcome?.before_case), named(outcome?.after_case)]
  const [before, after] = told.every(Boolean) ? told : [named(leading) ?? last('before'), last('after')]
  return before && after ? [before.id, after.id] : null
}

/** The runs before and after what was advised. */
export function TicketCases({ ticket, onChanged }: { ticket: Ticket; onChanged: (now: Ticket) => void }) {
  const move = useMutation({
    mutationFn: ({ id, role }: { id: string; role: 'before' | 'after' | null }) =>
      role === null ? detach(ticket.id, id) : attach(ticket.id, id, role),
    onSuccess: onChanged,
  })
  const held = heldRuns(ticket)
  return (
    <section aria-labelledby="runs">
      <div className={css.row}>
        <h2 id="runs">Runs</h2>
        {held && (
          <Link to="/compare" search={{ cases: held.join(',') }}>
            Before and after, side by side
          </Link>
        )}
      </div>
      {ticket.cases.length === 0 && <p className="muted">{noLogs(ticket)}</p>}
      <ul className={css.runs}>
        {ticket.cases.map((one) => (
          <li key={one.id}>
            <span className={css.role}>
              {one.role}
              {isUndated(one) && '?'}
            </span>
            <SeverityMark mark={one.severity ?? (one.status === 'failed' ? 'error' : 'unknown')} label />
            <div>
              <Link to="/cases/$caseId" params={{ caseId: one.id }}>
                {one.headline !== null
                  ? unbroken(one.headline)
                  : one.status === 'reading'
                    ? 'Being read.'
                    : unbroken(one.unread ?? 'It could not be read.')}
              </Link>
              <small>
                {one.job_id ? `job ${one.job_id}` : one.title}
                {one.io_time_s !== null && `${DOT}${ioTimeWords(one)} in I/O`}
                {DOT}
                {moment(one.added_at)}
                {isUndated(one) && `${DOT}no source says when it began`}
              </small>
            </div>
            <span className={css.acts}>
              {SIDES.filter((side) => side !== one.role || isUndated(one)).map((side) => (
                <button
                  key={side}
                  type="button"
                  className={button.bare}
                  disabled={move.isPending}
                  onClick={() => move.mutate({ id: one.id, role: side })}
                >
                  ran {side}
                </button>
              ))}
              <button
                type="button"
                className={button.bare}
                disabled={move.isPending}
                aria-label={`take out ${one.job_id ?? one.title}`}
                onClick={() => move.mutate({ id: one.id, role: null })}
              >
                take out
              </button>
            </span>
          </li>
        ))}
      </ul>
      {move.error && (
        <Notice failed title="It was not changed">
          {move.error.message}
        </Notice>
      )}
    </section>
  )
}
