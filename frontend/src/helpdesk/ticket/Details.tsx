import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import type { Ticket, TicketFields } from '../queries'
import { FormEnd } from './FormEnd'
import css from './Ticket.module.css'
import { writeFields } from './ticketRequests'

const FIELDS = [
  ['subject', 'Subject'],
  ['reference', 'Reference'],
  ['user', 'User'],
  ['project', 'Project'],
  ['system', 'System'],
  ['application', 'Application'],
] as const

type Name = (typeof FIELDS)[number][0]

/** What a person writes, and of which version of the ticket; `base` is what that said, and in the fields that are
 * `contested` what somebody else wrote meanwhile. */
interface Draft {
  readonly fields: TicketFields
  readonly base: TicketFields
  readonly version: number
  readonly contested: readonly Name[]
}

/** What was changed in the draft, and all else as somebody else left it. */
function onTop({ fields, base }: Draft, theirs: TicketFields, version: number): Draft {
  const mine = FIELDS.map(([name]) => name).filter((name) => fields[name] !== base[name])
  return {
    fields: { ...theirs, ...Object.fromEntries(mine.map((name) => [name, fields[name]])) },
    base: theirs,
    version,
    contested: mine.filter((name) => theirs[name] !== base[name] && theirs[name] !== fields[name]),
  }
}

/** Writes the draft: the ticket as it is now, or the draft on top of what somebody else wrote in the same fields. */
async function written(ticket: number, draft: Draft): Promise<Ticket | Draft> {
  const done = await writeFields(ticket, draft.version, draft.fields)
  if (done.kind === 'written') return done.ticket
  if (typeof done.theirs === 'string') throw new Error('A ticket was answered with a text.')
  const both = onTop(draft, done.theirs, done.version)
  return both.contested.length === 0 ? written(ticket, both) : both
}

/** What people say about the ticket. Where two write at once, both texts stand side by side. */
export function Details({
  ticket,
  evidence,
  onChanged,
}: {
  ticket: Ticket
  /** What the leading case says about it, which holds where nobody said otherwise. */
  evidence: Partial<Record<Name, string | null>>
  onChanged: (now: Ticket) => void
}) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const id = useId()
  return (
    <section aria-labelledby={`${id}-details`}>
      <div className={css.row}>
        <h2 id={`${id}-details`}>Details</h2>
        {draft === null && (
          <button
            type="button"
            className={button.bare}
            onClick={() =>
              setDraft({
                fields: ticket.fields,
                base: ticket.fields,
                version: ticket.version,
                contested: [],
              })
            }
          >
            Edit
          </button>
        )}
      </div>
      {/* The subject is the page's title. */}
      {draft === null ? (
        <dl className={css.fields}>
          {FIELDS.filter(([name]) => name !== 'subject').map(([name, title]) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>{ticket.fields[name] || <Otherwise says={evidence[name]} />}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <Writing ticket={ticket.id} draft={draft} onDraft={setDraft} onChanged={onChanged} />
      )}
    </section>
  )
}

const Otherwise = ({ says }: { says: string | null | undefined }) =>
  says ? (
    <>
      {says} <small className="muted">by the evidence</small>
    </>
  ) : (
    <span className="muted">{says === undefined ? 'none' : 'not known'}</span>
  )

function Writing({
  ticket,
  draft,
  onDraft,
  onChanged,
}: {
  ticket: number
  draft: Draft
  onDraft: (draft: Draft | null) => void
  onChanged: (now: Ticket) => void
}) {
  const { fields, base, contested } = draft
  const write = useMutation({
    mutationFn: () => written(ticket, draft),
    onSuccess: (done) => {
      if ('base' in done) {
        onDraft(done)
      } else {
        onChanged(done)
        onDraft(null)
      }
    },
  })
  const set = (name: Name, text: string) =>
    onDraft({ ...draft, fields: { ...fields, [name]: name === 'subject' ? text : text || null } })
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        write.mutate()
      }}
    >
      {contested.length > 0 && (
        <Notice failed title="Somebody else changed the ticket meanwhile">
          Where you both wrote, both texts stand here. Choose, and save again.
        </Notice>
      )}
      {FIELDS.map(([name, title]) => (
        <div key={name} className={css.both}>
          <label>
            {title}
            <input
              className={button.field}
              maxLength={500}
              value={fields[name] ?? ''}
              onChange={({ target }) => set(name, target.value)}
            />
          </label>
          {contested.includes(name) && base[name] !== fields[name] && (
            <div className={css.theirs}>
              <span className="muted">Theirs</span>
              <span>{base[name] || 'empty'}</span>
              <button
                type="button"
                className={button.link}
                aria-label={`Take their ${title.toLowerCase()}`}
                onClick={() => set(name, base[name] ?? '')}
              >
                take theirs
              </button>
            </div>
          )}
        </div>
      ))}
      <FormEnd saving={write} onCancel={() => onDraft(null)} />
    </form>
  )
}
