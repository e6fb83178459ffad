import { Link } from '@tanstack/react-router'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice } from '../../ui/Notice'
import { ageOf } from '../age'
import { Owners } from '../Owners'
import type { Ticket } from '../queries'
import { STATUS_WORDS, STATUSES } from '../queue/search'
import { TicketName, ticketName } from '../TicketName'
import { NextInQueue } from './NextInQueue'
import css from './Ticket.module.css'
import type { QuickChange } from './useQuickChange'

/** Which ticket it is, its status and owner, and what is done with a click. */
export function TicketHead({
  ticket,
  title,
  me,
  quick,
  onTake,
  onAdd,
  onJoin,
}: {
  ticket: Ticket
  title: string
  me: string | null
  quick: QuickChange
  onTake: () => void
  onAdd: () => void
  onJoin: () => void
}) {
  const { fields } = ticket
  const name = <TicketName>{ticketName(ticket.id, fields.reference)}</TicketName>
  return (
    <header className={css.head}>
      <p className={css.crumb}>
        <Link to="/queue">Queue</Link> <span aria-hidden="true">/</span>{' '}
        {ticket.url ? (
          <a href={ticket.url} rel="noreferrer">
            {name}
          </a>
        ) : (
          name
        )}
        {DOT}
        {ageOf(ticket.created_at)} old, changed {moment(ticket.changed_at)}
      </p>
      <h1>{title}</h1>
      <div className={css.state}>
        <label>
          Status{' '}
          <select
            className={button.select}
            value={fields.status}
            disabled={quick.isPending}
            onChange={({ target }) => {
              const status = STATUSES.find((one) => one === target.value)
              if (status) quick.mutate({ status })
            }}
          >
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_WORDS[status]}
              </option>
            ))}
          </select>
        </label>
        <span>
          Owner{' '}
          <Owners
            label="Owner"
            value={fields.owner}
            disabled={quick.isPending}
            onChoose={(owner) => quick.mutate({ owner })}
          />
        </span>
        {(me === null || fields.owner !== me) && (
          <button
            type="button"
            className={button.button}
            disabled={quick.isPending || me === null}
            onClick={onTake}
          >
            Take it
          </button>
        )}
        <button type="button" className={button.button} onClick={onAdd}>
          {ticket.cases.length === 0 ? 'Add a log' : 'Add a run'}
        </button>
        <button type="button" className={button.button} onClick={onJoin}>
          Join another
        </button>
        {fields.status !== 'closed' && (
          <button
            type="button"
            className={button.button}
            disabled={quick.isPending}
            onClick={() => quick.mutate({ status: 'closed' })}
          >
            Close
          </button>
        )}
        <NextInQueue after={ticket.id} me={me} />
      </div>
      {quick.data?.kind === 'conflict' && (
        <Notice failed title="Somebody else changed the ticket meanwhile">
          What stands here now is theirs; do it again if it still holds.
        </Notice>
      )}
      {quick.error && (
        <Notice failed title="It was not changed">
          {quick.error.message}
        </Notice>
      )}
    </header>
  )
}
