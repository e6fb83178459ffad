import { type ChangeEvent, type DragEvent, useId, useRef, useState } from 'react'
import type { Progress, Sent } from '../api/upload'
import { count, format, plural } from '../format'
import button from '../ui/Button.module.css'
import cite from '../ui/cite/Cite.module.css'
import { DOT } from '../ui/Dotted'
import { Notice } from '../ui/Notice'
import { type Mark, SeverityMark } from '../ui/Severity'
import { filesOf, pasted } from './files'
import { arrived, failed, type Item, mayArrive, type Phase, takesFiles } from './machine'
import css from './Upload.module.css'
import { useUpload } from './useUpload'

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
  const { upload, add, again, make, startOver } = useUpload(limit, finish)
  const closed = !takesFiles(upload)
  return (
    <>
      <div className={narrow ? css.narrow : css.in}>
        <Drop onFiles={add} closed={closed} />
        <Paste onText={(text) => add([pasted(text)])} closed={closed} />
      </div>
      <UploadProgress
        items={upload.items}
        phase={upload.phase}
        refused={upload.problem !== null}
        onAgain={again}
        onMake={make}
        onStartOver={startOver}
      />
      {upload.problem && upload.phase === 'asking' && (
        <div className={css.problem}>
          <Notice failed title={upload.problem.title}>
            {upload.problem.detail}
          </Notice>
        </div>
      )}
    </>
  )
}

type Given = Promise<readonly File[]> | readonly File[]

function Drop({ onFiles, closed }: { onFiles: (files: Given) => void; closed: boolean }) {
  const id = useId()
  const folder = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const chosen = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(target.files ?? [])])
    target.value = ''
  }
  const chooseFolder = () => {
    if (!folder.current) return
    folder.current.webkitdirectory = true
    folder.current.click()
  }
  const drag = (on: boolean) => (event: DragEvent) => {
    event.preventDefault()
    // The pointer says that nothing can be left here now.
    if (closed) event.dataTransfer.dropEffect = 'none'
    setOver(on && !closed)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!closed) onFiles(filesOf(event.dataTransfer))
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
      <span className={css.big} id={`${id}-name`}>
        Drop logs here, or choose files
      </span>
      <span className={css.words}>
        All that one job left behind, together: its Darshan log, its stderr, its job script. A folder, a zip
        or a tar is searched, even with several jobs in it; what cannot be read is named and left out.
      </span>
      <span className={css.kinds}>
        {KINDS.map((kind) => (
          <span key={kind} className={cite.cite}>
            {kind}
          </span>
        ))}
      </span>
      <span className={css.choose}>
        <span className={button.main} aria-hidden="true">
          Choose files
        </span>
        <input
          className="vh"
          id={id}
          aria-labelledby={`${id}-name`}
          type="file"
          multiple
          disabled={closed}
          onChange={chosen}
        />
        <button type="button" className={button.button} disabled={closed} onClick={chooseFolder}>
          Choose a folder
        </button>
        <input ref={folder} type="file" hidden disabled={closed} onChange={chosen} />
      </span>
    </label>
  )
}

function Paste({ onText, closed }: { onText: (text: string) => void; closed: boolean }) {
  const id = useId()
  const [text, setText] = useState('')
  return (
    <form
      className={css.paste}
      onSubmit={(event) => {
        event.preventDefault()
        if (closed || text.trim() === '') return
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
        <button type="submit" className={button.button} disabled={closed || text.trim() === ''}>
          Diagnose
        </button>
      </div>
    </form>
  )
}

const MARKS: Record<Progress['step'], Mark> = {
  waiting: 'not_applicable',
  hashing: 'reading',
  sending: 'reading',
  sent: 'clear',
  failed: 'error',
}

/** One line a file: what is being done with it, or what went wrong and what to do; and below, what happens next. */
export function UploadProgress({
  items,
  phase,
  refused,
  onAgain,
  onMake,
  onStartOver,
}: {
  items: readonly Item[]
  phase: Phase
  /** Whether what arrived could not be made a case of. */
  refused: boolean
  onAgain: () => void
  onMake: () => void
  onStartOver: () => void
}) {
  if (items.length === 0) return null
  const here = items.filter(arrived).length
  // Of many files, what needs a decision stands where the eye is: how many are left over, the buttons, and then those.
  const shown = phase === 'asking' ? [...items.filter(failed), ...items.filter(arrived)] : items
  return (
    <div className={css.progress}>
      <p className={css.next} role="status">
        {phase === 'sending' &&
          `${soFar(items)}What you add now joins ${items.length === 1 ? 'it' : 'these'}.`}
        {phase === 'asking' && items.some(failed) && leftOver(items)}
        {(phase === 'making' || phase === 'made') && `${plural(here, 'file')} arrived. The diagnosis begins.`}
      </p>
      {phase === 'asking' && (
        <div className={css.after}>
          {items.some(mayArrive) && (
            <button type="button" className={button.button} onClick={onAgain}>
              Try {items.filter(mayArrive).length === 1 ? 'it' : 'them'} again
            </button>
          )}
          {here > 0 && (
            <button type="button" className={button.main} onClick={onMake}>
              {refused && !items.some(failed)
                ? 'Try again'
                : `Diagnose the ${plural(here, 'file')} that arrived`}
            </button>
          )}
          <button type="button" className={button.button} onClick={onStartOver}>
            Start over
          </button>
        </div>
      )}
      <ul aria-label="Files given" aria-live="polite">
        {shown.map((item) => (
          <ItemLine key={item.id} item={item} />
        ))}
      </ul>
    </div>
  )
}

/** "12 of 20 files are there, 1 could not be sent. "; one that is done has others to wait for, as a folder that is looked through. */
function soFar(items: readonly Item[]): string {
  const [here, lost] = [items.filter(arrived).length, items.filter(failed).length]
  if (items.length === 1)
    return `1 file ${here === 1 ? 'is there' : lost === 1 ? 'could not be sent' : 'is on its way'}. `
  const without = lost > 0 ? `, ${count(lost)} could not be sent` : ''
  return `${count(here)} of ${plural(items.length, 'file')} ${here === 1 ? 'is' : 'are'} there${without}. `
}

function leftOver(items: readonly Item[]): string {
  const lost = items.filter(failed).length
  if (lost === items.length) return items.length === 1 ? 'It was not sent.' : 'None of them was sent.'
  return `${count(lost)} of ${plural(items.length, 'file')} ${lost === 1 ? 'was' : 'were'} not sent.`
}

function ItemLine({ item: { name, size, progress } }: { item: Item }) {
  return (
    <li>
      <SeverityMark mark={MARKS[progress.step]} />
      <span className={css.name} title={name}>
        {name}
      </span>
      <small>
        {format(size, 'B')}
        {DOT}
        {says(progress)}
      </small>
      {(progress.step === 'hashing' || progress.step === 'sending') && (
        <progress
          className={css.bar}
          value={progress.share}
          max={1}
          aria-label={`${name}, ${progress.step === 'sending' ? 'sent' : 'checksum'}`}
        />
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
      return `computing its checksum, ${percent(progress.share)}`
    case 'sending':
      return `sending, ${percent(progress.share)}`
    case 'sent':
      return progress.known ? 'the server has it already' : 'sent'
    case 'failed':
      return 'not sent'
  }
}

const percent = (share: number): string => `${Math.round(share * 100)}\u202f%`
