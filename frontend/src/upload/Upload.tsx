import { type DragEvent, useId, useState } from 'react'
import type { Progress, Sent } from '../api/upload'
import { format, plural } from '../format'
import button from '../ui/Button.module.css'
import cite from '../ui/Cite.module.css'
import { Notice } from '../ui/Notice'
import { type Mark, SeverityMark } from '../ui/Severity'
import { filesOf, pasted } from './files'
import css from './Upload.module.css'
import { type Item, useUpload } from './useUpload'

const KINDS = [
  '.darshan',
  'darshan-parser text',
  'MPICH_MPIIO_STATS',
  'MPICH_MPIIO_TIMERS',
  'MPICH_MPIIO_HINTS_DISPLAY',
  'MPICH environment',
  'CrayPAT report',
  'lfs getstripe',
  'IOR',
  'benchio',
  'job script',
  'sacct',
  'zip, tar.gz',
]
const PLACEHOLDER = `+--------------------------------------------------------+
| MPIIO write access patterns for out.0001
|   independent writes      = 0
|   collective writes       = 14336
|   independent writers     = 0
|   aggregators             = 1`

/** Files dropped, chosen or pasted; what becomes of each; then `finish` with all that arrived. */
export function Upload({
  limit,
  narrow = false,
  finish,
}: {
  limit: number | null
  narrow?: boolean
  finish: (sent: readonly Sent[]) => Promise<void>
}) {
  const upload = useUpload(limit, finish)
  return (
    <>
      <div className={narrow ? css.narrow : css.in}>
        <Drop onFiles={upload.add} busy={upload.busy} />
        <Paste onText={(text) => upload.add([pasted(text)])} busy={upload.busy} />
      </div>
      <UploadProgress
        items={upload.items}
        busy={upload.busy}
        onAgain={upload.again}
        onWithout={upload.finishWithout}
        onClear={upload.clear}
      />
      {upload.problem && (
        <Notice
          failed
          title={upload.problem.title}
          actions={
            <button type="button" className={button.button} onClick={upload.finishWithout}>
              Try again
            </button>
          }
        >
          {upload.problem.detail}
        </Notice>
      )}
    </>
  )
}

function Drop({ onFiles, busy }: { onFiles: (files: readonly File[]) => void; busy: boolean }) {
  const id = useId()
  const [over, setOver] = useState(false)
  const drag = (on: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(on)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    filesOf(event.dataTransfer).then(onFiles, () => onFiles([...event.dataTransfer.files]))
  }
  return (
    <label
      className={`${css.drop} ${over ? css.over : ''}`}
      htmlFor={id}
      onDragEnter={drag(true)}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={drop}
    >
      <span className={css.big}>Drop logs here, or choose files</span>
      <span className={css.words}>
        All that one job left behind, together: its Darshan log, its stderr, its job script. A folder, a zip
        or a tar is looked through; what cannot be read is named and left out.
      </span>
      <span className={css.kinds}>
        {KINDS.map((kind) => (
          <span key={kind} className={cite.cite}>
            {kind}
          </span>
        ))}
      </span>
      <span className={button.main} aria-hidden="true">
        Choose files
      </span>
      <input
        className="vh"
        id={id}
        type="file"
        multiple
        disabled={busy}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </label>
  )
}

function Paste({ onText, busy }: { onText: (text: string) => void; busy: boolean }) {
  const id = useId()
  const [text, setText] = useState('')
  return (
    <form
      className={css.paste}
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        onText(text)
        setText('')
      }}
    >
      <label htmlFor={id}>or paste text from stderr</label>
      <textarea
        id={id}
        spellCheck={false}
        placeholder={PLACEHOLDER}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={css.act}>
        <span>other output around it does not matter</span>
        <button type="submit" className={button.button} disabled={busy || text.trim() === ''}>
          Diagnose
        </button>
      </div>
    </form>
  )
}

const MARKS: Record<Progress['step'], Mark> = {
  waiting: 'not_applicable',
  hashing: 'unknown',
  sending: 'unknown',
  sent: 'clear',
  failed: 'error',
}

/** One line a file: what is being done with it, or what went wrong and what to do. */
export function UploadProgress({
  items,
  busy,
  onAgain,
  onWithout,
  onClear,
}: {
  items: readonly Item[]
  busy: boolean
  onAgain: () => void
  onWithout: () => void
  onClear: () => void
}) {
  if (items.length === 0) return null
  const again = items.filter(({ progress }) => progress.step === 'failed' && progress.again).length
  const failed = items.some(({ progress }) => progress.step === 'failed')
  const arrived = items.filter((item) => item.progress.step === 'sent').length
  return (
    <div className={css.progress}>
      <ul aria-label="Files given" aria-live="polite">
        {items.map((item) => (
          <ItemLine key={item.id} item={item} />
        ))}
      </ul>
      {!busy && failed && (
        <div className={css.after}>
          {again > 0 && (
            <button type="button" className={button.button} onClick={onAgain}>
              Try {again === 1 ? 'it' : 'them'} again
            </button>
          )}
          {arrived > 0 && (
            <button type="button" className={button.main} onClick={onWithout}>
              Diagnose the {plural(arrived, 'file')} that arrived
            </button>
          )}
          <button type="button" className={button.bare} onClick={onClear}>
            Start over
          </button>
        </div>
      )}
    </div>
  )
}

function ItemLine({ item: { name, size, progress } }: { item: Item }) {
  return (
    <li>
      <SeverityMark mark={MARKS[progress.step]} />
      <span className={css.name} title={name}>
        {name}
      </span>
      <small>
        {format(size, 'B')} · {says(progress)}
      </small>
      {progress.step === 'sending' && (
        <progress className={css.bar} value={progress.share} max={1} aria-label={`${name}, sent`} />
      )}
      {progress.step === 'failed' && (
        <p className={css.detail}>
          {progress.what} {progress.next}
        </p>
      )}
    </li>
  )
}

function says(progress: Progress): string {
  switch (progress.step) {
    case 'waiting':
      return 'waiting'
    case 'hashing':
      return 'computing its checksum'
    case 'sending':
      return `sending, ${Math.round(progress.share * 100)}\u202f%`
    case 'sent':
      return progress.known ? 'the server has it already' : 'sent'
    case 'failed':
      return 'not sent'
  }
}
