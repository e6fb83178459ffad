import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { capital, format } from '../../format'
import { Portrait } from '../../portrait/Portrait'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { DOT } from '../../ui/Dotted'
import { Skeleton } from '../../ui/Notice'
import { SeverityMark, SeverityWord } from '../../ui/Severity'
import { ioTimeWords } from '../ioTimeWords'
import { useKeys } from '../keyboard'
import { type QueueEntry, replyQuery } from '../queries'
import { Written } from '../reply/Written'
import css from './Queue.module.css'
import { alsoUnread, EntryLink, markOf, nameOf, rerunOf, saidOf } from './QueueRows'
import type { QueueSearch } from './search'

const NARROWS = ['user', 'project', 'system', 'application', 'rule'] as const

/** The selected entry: what it says, and the reply, ready to paste. */
export function Preview({
  entry,
  mine,
  onTake,
  onNarrow,
}: {
  entry: QueueEntry
  mine: boolean
  onTake: () => void
  onNarrow: (change: QueueSearch) => void
}) {
  const mark = markOf(entry)
  return (
    <aside className={css.preview} aria-label="The selected entry">
      <div className={css.stick}>
        <p className="small muted">
          {nameOf(entry)}
          {entry.job_id && entry.reference && `${DOT}job ${entry.job_id}`}
        </p>
        <h2>{saidOf(entry)}</h2>
        <p className={css.facts}>
          <SeverityMark mark={mark} /> <SeverityWord mark={mark} />
          {entry.io_time_s !== null && `${DOT}${ioTimeWords(entry)} in I/O`}
          {entry.io_time_fraction !== null && `, ${format(entry.io_time_fraction, 'share')} of the run`}
        </p>
        {entry.outcome !== null && <p className={css.facts}>{capital(rerunOf(entry.outcome))}</p>}
        {alsoUnread(entry) !== null && <p className={css.facts}>{alsoUnread(entry)}</p>}
        <p className={css.narrow}>
          <span>Only those of the same</span>
          {NARROWS.map((facet) => {
            const value = entry[facet]
            return value === null ? null : (
              <button
                key={facet}
                type="button"
                className={css.facet}
                aria-label={`Only ${facet} ${value}`}
                onClick={() => onNarrow({ [facet]: value })}
              >
                {facet} {value}
              </button>
            )
          })}
        </p>
        {entry.portrait && (
          <div className={css.large}>
            <Portrait of={entry.portrait} />
          </div>
        )}
        {entry.case !== null && (entry.headline !== null || entry.unread !== null) && (
          <ReplyText caseId={entry.case} title={entry.outcome === null ? READY : ABOUT_BEFORE} />
        )}
        <div className={css.acts}>
          {!mine && (
            <button type="button" className={button.button} onClick={onTake}>
              Take it
            </button>
          )}
          <EntryLink entry={entry}>{entry.ticket === null ? 'Open case' : 'Open ticket'}</EntryLink>
          {entry.case !== null && (
            <Link to="/cases/$caseId/triage" params={{ caseId: entry.case }}>
              Triage
            </Link>
          )}
        </div>
      </div>
    </aside>
  )
}

const READY = 'Reply, ready to paste'
/** What was advised then: who is told that again is told nothing of the rerun. */
const ABOUT_BEFORE = 'Reply to the run before'

function ReplyText({ caseId, title }: { caseId: string; title: string }) {
  const asked = { findings: [], template: null, by: {} }
  const query = useQuery(replyQuery(caseId, { ...asked, form: 'plain' }))
  // Lines of 72 characters are too long for this column: what is copied is told as it reads.
  const read = useQuery(replyQuery(caseId, { ...asked, form: 'markdown' }))
  if (query.isPending || read.isPending) return <Skeleton height={220} />
  // A case that is being read has no reply yet.
  if (!query.data || !read.data) return null
  return <Ready title={title} text={query.data.text} markdown={read.data.text} />
}

function Ready({ title, text, markdown }: { title: string; text: string; markdown: string }) {
  const [copied, setCopied] = useState<string | null>(null)
  const copy = async () => setCopied((await copyText(text)) ? text : null)
  useKeys({ r: copy })
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className={css.reply} aria-label="The reply" tabIndex={0}>
        <Written text={markdown} as="markdown" />
      </section>
      <div className={css.acts}>
        <button type="button" className={button.main} onClick={copy}>
          {copied === text ? 'Copied' : 'Copy reply'}
        </button>
        <span className="vh" role="status">
          {copied === text && 'The reply is on the clipboard.'}
        </span>
      </div>
    </>
  )
}
