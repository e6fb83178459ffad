import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { askWhoAfter } from '../access/newQueries'
import type { CaseDocument } from '../analysis/caseDocument'
import { hasSeveralJobs } from '../analysis/severalJobs'
import { EXPORTED_CASE } from '../api/embedded'
import { removeCase } from '../api/queries'
import type { CaseView, Unread } from '../api/types'
import { createCaseInTurn, type Sent } from '../api/upload'
import { asSentence, plural } from '../format'
import button from '../ui/Button.module.css'
import { useStillOnPage } from '../ui/useStillOnPage'
import { takeUploaded } from '../upload/justUploaded'
import css from './Case.module.css'

/** Sources of several jobs given as one case: its sums are of no job, which is said before them. A case that was just
 * given here is split at once; one that somebody else made, or that was looked at as it is, waits for its button. */
export function SeveralJobs({
  view,
  document,
  onSplit,
  onFailed,
}: {
  view: CaseView
  document: Pick<CaseDocument, 'jobs' | 'sources'>
  /** What is looked at then, where that is not the list of cases. */
  onSplit?: () => unknown
  /** The case stays as it is. */
  onFailed?: () => void
}) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const [made, setMade] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  // A document of an earlier version has none.
  const jobs = document.jobs ?? []
  const several = hasSeveralJobs(document) && EXPORTED_CASE === null
  const split = async () => {
    setProblem(null)
    try {
      for (const [done, job] of jobs.entries()) {
        setMade(done)
        await createCaseInTurn(sourcesOf(job, view), view.site, view.id)
      }
      // The sources are held by the new cases by now.
      if (!view.sample) await removeCase(view.id)
      await client.invalidateQueries({ queryKey: ['cases'] })
      if (onSplit) await onSplit()
      else if (stillHere())
        await navigate({
          to: '/',
          state: {
            split: { jobs: jobs.length, shared: sharedOf(document, view), unread: unreadOf(document) },
          },
        })
    } catch (error) {
      askWhoAfter(error, client)
      setProblem(error instanceof Error ? error.message : String(error))
      setMade(null)
      onFailed?.()
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the jobs of a case that was just given are known.
  useEffect(() => {
    if (several && !view.sample && takeUploaded(view.id)) void split()
  }, [several, view.id])
  if (!several) return null
  return (
    <div className={`${css.several} screen`} role="status">
      <p>
        <b>These sources are of {plural(jobs.length, 'job')}, but a case is about one:</b>{' '}
        {made === null ? 'the figures below add them up.' : 'each job becomes a case of its own.'}{' '}
        {jobs.some(({ id }) => id === null) && 'Some of them do not say which job they are of. '}
        {problem !== null && `They were not split: ${problem}`}
      </p>
      <button type="button" className={button.main} disabled={made !== null} onClick={split}>
        {made === null
          ? `Split into ${plural(jobs.length, 'case')}, one for each job`
          : `Making case ${made + 1} of ${jobs.length}`}
      </button>
      {made !== null && <progress value={made} max={jobs.length} aria-label="Cases made" />}
    </div>
  )
}

/** The names of files that several of the jobs have: not of archives, of which each job has what is its own. */
function sharedOf(document: Pick<CaseDocument, 'jobs' | 'sources'>, view: CaseView): readonly string[] {
  const archives = new Set(document.sources.flatMap(({ given, member }) => (member === null ? [] : [given])))
  return view.sources
    .filter(({ index }) => !archives.has(index))
    .filter(({ index }) => document.jobs.filter(({ given }) => given.includes(index)).length > 1)
    .map(({ name }) => name)
}

/** What of it no case was made of, in archives too. */
const unreadOf = ({ sources }: Pick<CaseDocument, 'sources'>): readonly Unread[] =>
  sources
    .filter(({ status }) => status === 'failed')
    .map(({ name, failure, next_step }) => ({
      name,
      why: failure ? asSentence(failure) : '',
      next: next_step ?? '',
    }))

/** The files of one job, each with what it says about that job alone where it says something of others too. */
function sourcesOf({ id, given, among_others }: CaseDocument['jobs'][number], { sources }: CaseView): Sent[] {
  return sources
    .filter(({ index }) => given.includes(index))
    .map(({ sha256, name }) => ({ sha256, name, of_job: among_others ? id : null }))
}
