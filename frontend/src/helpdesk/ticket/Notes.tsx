import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import type { Note, Ticket } from '../queries'
import { Written } from '../reply/Written'
import css from './Ticket.module.css'
import { addNote, writeNote } from './writing'

/** What colleagues wrote, in Markdown. */
export function Notes({ ticket, onChanged }: { ticket: Ticket; onChanged: (now: Ticket) => void }) {
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: () => addNote(ticket.id, text),
    onSuccess: (now) => {
      setText('')
      onChanged(now)
    },
  })
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <ol className={css.notes}>
        {ticket.notes.map((note) => (
          <li key={note.id}>
            <OneNote key={note.version} ticket={ticket} note={note} onChanged={onChanged} />
          </li>
        ))}
      </ol>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') add.mutate()
        }}
      >
        <textarea
          className={css.writing}
          aria-label="A note, in Markdown"
          placeholder="for colleagues; Markdown"
          rows={3}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className={css.acts}>
          <button type="submit" className={button.button} disabled={add.isPending || text.trim() === ''}>
            Add note
          </button>
        </div>
        {add.error && (
          <Notice failed title="It was not added">
            {add.error.message}
          </Notice>
        )}
      </form>
    </section>
  )
}

function OneNote({
  ticket,
  note,
  onChanged,
}: {
  ticket: Ticket
  note: Note
  onChanged: (now: Ticket) => void
}) {
  const [draft, setDraft] = useState<string | null>(null)
  const [theirs, setTheirs] = useState<{ text: string; version: number } | null>(null)
  const write = useMutation({
    mutationFn: (text: string) => writeNote(ticket.id, note.id, theirs?.version ?? note.version, text),
    onSuccess: (done) => {
      if (done.kind === 'written') onChanged(done.ticket)
      else if (typeof done.theirs === 'string') setTheirs({ text: done.theirs, version: done.version })
    },
  })
  return (
    <>
      <p className="small muted">
        <b>{note.author}</b> {moment(note.written_at)}
        {note.changed_at && `, changed ${moment(note.changed_at)}`}{' '}
        {draft === null && (
          <button
            type="button"
            className={button.link}
            aria-label={`Edit the note of ${note.author}`}
            onClick={() => setDraft(note.text)}
          >
            edit
          </button>
        )}
      </p>
      {draft === null ? (
        <Written text={note.text} as="markdown" />
      ) : (
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault()
            if (draft.trim() !== '') write.mutate(draft)
          }}
        >
          {theirs && (
            <Notice failed title="Somebody else changed the note meanwhile">
              <pre className={css.asking}>{theirs.text}</pre>
              Yours stands below: put both together, and save again.
            </Notice>
          )}
          <textarea
            className={css.writing}
            aria-label="The note, in Markdown"
            rows={5}
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
          />
          <div className={css.acts}>
            <button type="submit" className={button.button} disabled={write.isPending}>
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
      )}
    </>
  )
}
