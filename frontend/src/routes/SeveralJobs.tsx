import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { EXPORTED_CASE } from '../api/embedded'
import { removeCase } from '../api/queries'
import type { CaseDocument, CaseSource, CaseView } from '../api/types'
import { createCase } from '../api/upload'
import { plural } from '../format'
import button from '../ui/Button.module.css'
import css from './Case.module.css'

/** Logs of several jobs given as one case: its sums are of no job, which is said before them, with the way out. */
export function SeveralJobs({ view, document }: { view: CaseView; document: CaseDocument }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const jobs = jobsOf(document, view.sources)
  if (jobs === null || EXPORTED_CASE !== null) return null
  const split = async (each: readonly (readonly CaseSource[])[]) => {
    setBusy(true)
    setProblem(null)
    try {
      for (const sources of each) {
        await createCase(
          sources.map(({ sha256, name }) => ({ sha256, name })),
          view.site,
        )
      }
      // The sources are held by the new cases by now.
      if (!view.sample) await removeCase(view.id)
      await client.invalidateQueries({ queryKey: ['cases'] })
      await navigate({ to: '/' })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const { ids, each } = jobs
  return (
    <div className={`${css.several} screen`} role="status">
      <p>
        <b>These logs name {plural(ids, 'job')}, and a case is of one:</b> what is said below adds them up.{' '}
        {each === null && 'Give those of one job together; some of them do not say which job they are of.'}
        {problem}
      </p>
      {each !== null && (
        <button type="button" className={button.main} disabled={busy} onClick={() => split(each)}>
          {busy ? 'Splitting' : 'Split'} into {plural(each.length, 'case')}, one a job
        </button>
      )}
    </div>
  )
}

/**
 * How many jobs the sources name, and the files given by job; `each` is null where one of them names no job, or
 * several. Null where all are of one job, as far as they say.
 */
function jobsOf(
  document: CaseDocument,
  given: readonly CaseSource[],
): { ids: number; each: readonly (readonly CaseSource[])[] | null } | null {
  const said = document.agreement.find(({ quantity, agrees }) => quantity === 'job id' && !agrees)
  if (!said) return null
  const byFile = new Map<number, Set<string>>()
  for (const { source, value } of said.statements) {
    const file = document.sources[source]?.given
    if (file === undefined) continue
    byFile.set(file, new Set([...(byFile.get(file) ?? []), String(value)]))
  }
  const ids = new Set([...byFile.values()].flatMap((names) => [...names]))
  const whole = given.every(({ index }) => byFile.get(index)?.size === 1)
  return {
    ids: ids.size,
    each: whole ? [...ids].map((id) => given.filter(({ index }) => byFile.get(index)?.has(id))) : null,
  }
}
