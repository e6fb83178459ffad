import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { CaseSource, CaseView } from '../api/types'
import { asSentence, format, plural } from '../format'
import button from '../ui/Button.module.css'
import { DOT } from '../ui/Dotted'
import { type Mark, SeverityMark } from '../ui/Severity'
import css from './Case.module.css'
import { RemoveCase } from './case/RemoveCase'

const MARKS: Record<CaseSource['status'], Mark> = {
  waiting: 'not_applicable',
  reading: 'reading',
  read: 'clear',
  failed: 'error',
}
const SAYS: Record<CaseSource['status'], string> = {
  waiting: 'waiting to be read',
  reading: 'being read',
  read: 'read',
  failed: 'could not be read',
}

/** From so many seconds on, who waits is told how long it has been: that something still goes on. */
const LONG_S = 3

/** Not in the line that is read out when it changes. */
function SoFar({ since }: { since: string }) {
  const [seconds, setSeconds] = useState(() => secondsSince(since))
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsSince(since)), 1000)
    return () => clearInterval(timer)
  }, [since])
  return (
    <p className="muted">
      {seconds < LONG_S
        ? '\u00a0'
        : `${clock(seconds)} so far: a log of many files, or with a long trace, takes a while.`}
    </p>
  )
}

const clock = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`

const secondsSince = (moment: string) => Math.floor((Date.now() - Date.parse(moment)) / 1000)

/** A case without a document: its sources are still being read, or none of them could be. */
export function SourceStates({ view, onAdd }: { view: CaseView; onAdd: () => void }) {
  const reading = view.status === 'reading'
  const [only, ...others] = view.sources
  const one = others.length === 0 ? only?.name : undefined
  const title = reading
    ? `Reading ${one ?? plural(view.sources.length, 'file')}`
    : view.message
      ? asSentence(view.message)
      : one !== undefined
        ? `${one} could not be read.`
        : 'None of the files could be read.'
  return (
    <div className={css.reading}>
      <title>{`${view.title} · IOtriage`}</title>
      <h1>{title}</h1>
      <p className="soft" role="status">
        {reading
          ? 'The diagnosis appears here by itself; it is also at this address later, with your other cases.'
          : 'Below is why, and what to give instead; the files are kept.'}
      </p>
      {reading && <SoFar since={view.created_at} />}
      <ul aria-label="Sources">
        {view.sources.map((source) => (
          <li key={source.index}>
            <SeverityMark mark={MARKS[source.status]} />
            <span>{source.name}</span>
            <small>
              {format(source.size_bytes, 'B')}
              {DOT}
              {SAYS[source.status]}
            </small>
            {source.message && <p>{asSentence(source.message)}</p>}
            {source.next_step && <p>{asSentence(source.next_step)}</p>}
          </li>
        ))}
      </ul>
      {!reading && (
        <div className={css.actions}>
          <button type="button" className={button.main} onClick={onAdd}>
            Add a source
          </button>
          <Link className={button.button} to="/">
            All cases
          </Link>
          <RemoveCase view={view} className={button.button ?? ''} />
        </div>
      )}
    </div>
  )
}
