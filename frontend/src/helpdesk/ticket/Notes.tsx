import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createCase, sendSource } from '../../api/upload'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice } from '../../ui/Notice'
import { pasted } from '../../upload/files'
import type { Note, Ticket } from '../queries'
import { Written } from '../reply/Written'
import { FormEnd } from './FormEnd'
import css from './Ticket.module.css'
import { addNote, attach, writeNote } from './ticketRequests'

/** So many lines at least has what a job printed about its I/O; less is what people write. */
const LINES_OF_EVIDENCE = 5

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
    <section aria-labelledby="notes" className={ticket.notes.length === 0 ? 'screen' : undefined}>
      <h2 id="notes">Notes</h2>
      <ol className={css.notes}>
        {ticket.notes.map((note) => (
          <li key={note.id}>
            <OneNote ticket={ticket} note={note} onChanged={onChanged} />
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
  const [draft, setDraft] = useState<{ text: string; version: number } | null>(null)
  const [theirs, setTheirs] = useState<string | null>(null)
  const close = () => {
    setDraft(null)
    setTheirs(null)
  }
  const write = useMutation({
    mutationFn: ({ text, version }: { text: string; version: number }) =>
      writeNote(ticket.id, note.id, version, text),
    onSuccess: (done, { text }) => {
      if (done.kind === 'written') {
        onChanged(done.ticket)
        close()
      } else if (typeof done.theirs === 'string') {
        setTheirs(done.theirs)
        setDraft({ text, version: done.version })
      }
    },
  })
  // A mail may have what the job printed within its text.
  const read = useMutation({
    mutationFn: async () => {
      const file = pasted(note.text)
      const { sha256 } = await sendSource(file, null, () => {})
      const made = await createCase([{ sha256, name: file.name }], null)
      return attach(ticket.id, made, ticket.cases.length === 0 ? 'before' : 'after')
    },
    onSuccess: onChanged,
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
            onClick={() => setDraft({ text: note.text, version: note.version })}
          >
            edit
          </button>
        )}{' '}
        {draft === null && note.text.split('\n').length >= LINES_OF_EVIDENCE && (
          <button
            type="button"
            className={button.link}
            aria-label={`Read the note of ${note.author} as a log`}
            title="Makes a run of what the job printed, where the mail has it in its text"
            disabled={read.isPending || read.isSuccess}
            onClick={() => read.mutate()}
          >
            read as a log
          </button>
        )}
      </p>
      {read.error && (
        <Notice failed title="It was not read">
          {read.error.message}
        </Notice>
      )}
      {draft === null ? (
        <Written text={note.text} as="markdown" />
      ) : (
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault()
            if (draft.text.trim() !== '') write.mutate(draft)
          }}
        >
          {theirs !== null && (
            <Notice failed title="Somebody else changed the note meanwhile">
              Both texts stand here. Choose, or put them together, and save again.
            </Notice>
          )}
          <div className={css.both}>
            <label>
              {theirs === null ? <span className="vh">The note, in Markdown</span> : 'Yours, in Markdown'}
              <textarea
                className={css.writing}
                rows={5}
                value={draft.text}
                onChange={({ target }) => setDraft({ ...draft, text: target.value })}
              />
            </label>
            {theirs !== null && (
              <div className={css.theirs}>
                <span className="muted">Theirs</span>
                <span>{theirs}</span>
                <button
                  type="button"
                  className={button.link}
                  onClick={() => setDraft({ ...draft, text: theirs })}
                >
                  take theirs
                </button>
              </div>
            )}
          </div>
          <FormEnd saving={write} onCancel={close} />
        </form>
      )}
    </>
  )
}
