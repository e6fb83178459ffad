import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { asSentence, plural } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { Panel } from '../../ui/Panel'
import type { Ticket } from '../queries'
import { ticketName, ticketTitle } from '../TicketName'
import css from './Ticket.module.css'
import { findTicket, joinTicket } from './ticketRequests'

/** Another ticket about the same thing, which becomes part of this one: it is looked at before. */
export function JoinTicket({
  ticket,
  onJoined,
  onClose,
}: {
  ticket: Ticket
  onJoined: (now: Ticket) => void
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const look = useMutation({ mutationFn: findTicket })
  const join = useMutation({
    mutationFn: () => joinTicket(ticket.id, ticket.version, name.trim()),
    onSuccess: (done) =>
      done.kind === 'written'
        ? onJoined(done.ticket)
        : queries.invalidateQueries({ queryKey: ['ticket', ticket.id] }),
  })
  const other = look.data
  const itself = other?.id === ticket.id
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.reset()
    look.mutate(name.trim())
  }
  const here = ticketName(ticket.id, ticket.fields.reference)
  return (
    <Panel
      title="Join another ticket into this"
      about={`Its runs, notes and history come to ${here}, and what is sent to it later does, too. It cannot be taken apart again.`}
      onClose={onClose}
    >
      <form className={css.form} onSubmit={submit}>
        <label>
          Number or reference
          <input
            className={button.field}
            maxLength={500}
            required
            value={name}
            onChange={({ target }) => {
              setName(target.value)
              look.reset()
            }}
          />
        </label>
        {/* It stays: who pressed it is not left without a place. */}
        <div className={css.acts}>
          <button type="submit" className={other ? button.button : button.main} disabled={name.trim() === ''}>
            Look it up
          </button>
        </div>
      </form>
      {look.error && (
        <Notice failed title="It was not found">
          {look.error.message}
        </Notice>
      )}
      <div className={css.found}>
        <p role="status">
          {other && itself && 'That is this ticket.'}
          {other && !itself && (
            <>
              <b>{ticketTitle(other.id, other.fields.reference)}</b>
              {`: ${contentsOf(other)}`}
            </>
          )}
        </p>
        {other && !itself && (
          <div className={css.acts}>
            <button
              type="button"
              className={button.main}
              disabled={join.isPending}
              onClick={() => join.mutate()}
            >
              Join it into {here}
            </button>
          </div>
        )}
      </div>
      {join.data?.kind === 'conflict' && (
        <Notice failed title="Somebody else changed this ticket meanwhile">
          Nothing was joined. Close this, and look at what stands there now.
        </Notice>
      )}
      {join.error && (
        <Notice failed title="It was not joined">
          {join.error.message}
        </Notice>
      )}
    </Panel>
  )
}

function contentsOf({ fields, cases, notes }: Ticket): string {
  const whose = fields.user === null ? '' : `, of user ${fields.user}`
  const has = `${plural(cases.length, 'run')} and ${plural(notes.length, 'note')}${whose}.`
  return fields.subject === '' ? has : `${asSentence(fields.subject)} ${has}`
}
