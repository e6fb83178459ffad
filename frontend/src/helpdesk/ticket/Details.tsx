import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import type { Ticket, TicketFields } from '../queries'
import css from './Ticket.module.css'
import { writeFields } from './writing'

const FIELDS = [
  ['subject', 'Subject'],
  ['reference', 'Reference'],
  ['user', 'User'],
  ['project', 'Project'],
  ['system', 'System'],
  ['application', 'Application'],
] as const

/** What people say of the ticket. Where two write at once, both texts stand side by side. */
export function Details({ ticket, onChanged }: { ticket: Ticket; onChanged: (now: Ticket) => void }) {
  const [draft, setDraft] = useState<TicketFields | null>(null)
  const [theirs, setTheirs] = useState<{ fields: TicketFields; version: number } | null>(null)
  const id = useId()
  const write = useMutation({
    mutationFn: ({ fields, version }: { fields: TicketFields; version: number }) =>
      writeFields(ticket.id, version, fields),
    onSuccess: (done) => {
      if (done.kind === 'written') onChanged(done.ticket)
      else if (typeof done.theirs !== 'string') setTheirs({ fields: done.theirs, version: done.version })
    },
  })
  const { fields } = ticket
  if (draft === null) {
    return (
      <section aria-labelledby={`${id}-details`}>
        <div className={css.row}>
          <h2 id={`${id}-details`}>Details</h2>
          <button type="button" className={button.bare} onClick={() => setDraft(fields)}>
            Edit
          </button>
        </div>
        <dl className={css.fields}>
          {FIELDS.map(([name, title]) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>{fields[name] || <span className="muted">by the evidence</span>}</dd>
            </div>
          ))}
        </dl>
      </section>
    )
  }
  return (
    <section aria-labelledby={`${id}-details`}>
      <h2 id={`${id}-details`}>Details</h2>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          write.mutate({ fields: draft, version: theirs?.version ?? ticket.version })
        }}
      >
        {theirs && (
          <Notice failed title="Somebody else changed it meanwhile">
            Theirs stand under yours: keep what is right, and save again.
          </Notice>
        )}
        {FIELDS.map(([name, title]) => (
          <label key={name}>
            {title}
            <input
              className={button.field}
              maxLength={500}
              value={draft[name] ?? ''}
              onChange={({ target }) =>
                setDraft({ ...draft, [name]: name === 'subject' ? target.value : target.value || null })
              }
            />
            {theirs && (theirs.fields[name] ?? '') !== (draft[name] ?? '') && (
              <span className={css.theirs}>
                theirs: {theirs.fields[name] || 'empty'}{' '}
                <button
                  type="button"
                  className={button.link}
                  onClick={() => setDraft({ ...draft, [name]: theirs.fields[name] })}
                >
                  take it
                </button>
              </span>
            )}
          </label>
        ))}
        <div className={css.acts}>
          <button type="submit" className={button.main} disabled={write.isPending}>
            Save
          </button>
          <button type="button" className={button.bare} onClick={() => setDraft(null)}>
            Cancel
          </button>
        </div>
        {write.error && (
          <Notice failed title="It was not saved">
            {write.error.message}
          </Notice>
        )}
      </form>
    </section>
  )
}
