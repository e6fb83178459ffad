import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { meQuery, useGuest } from '../access/queries'
import { answered, client } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import { sameJobQuery } from '../api/queries'
import type { CaseView } from '../api/types'
import { capital, inWords } from '../format'
import button from '../ui/Button.module.css'
import { useStillOnPage } from '../ui/useStillOnPage'
import css from './Case.module.css'

/** The other cases of the same job for whoever may join them. `waits`: they are asked for, and what is drawn before they
 * come would move. */
export function useSameJob(view: CaseView | undefined) {
  const me = useQuery(meQuery)
  const guest = useGuest()
  const known = me.data !== undefined || me.isError
  const mayChange = known && !guest && EXPORTED_CASE === null && view !== undefined && !view.sample
  const query = useQuery({
    ...sameJobQuery(view?.id ?? ''),
    enabled: mayChange && view.status === 'ready',
  })
  return {
    mayChange,
    others: (mayChange && query.data) || [],
    waits: me.isLoading || (query.isLoading && query.failureCount === 0),
  }
}

/** What was joined into the case by itself or by somebody, and why, each to be taken apart; and the other cases of the
 * same job, or that may be of it, each with why it is one of its own. */
export function SameJob({ view }: { view: CaseView }) {
  const { mayChange, others } = useSameJob(view)
  // An export of an earlier version has none.
  const joined = view.joined ?? []
  return (
    <>
      {joined.map((part) => (
        <Row key={part.id} does="Take apart" act={() => takeApart(part.id)} may={mayChange} caseId={view.id}>
          <b>Joined with {part.sources.join(', ')}</b>, because {part.because}.
        </Row>
      ))}
      <Together many={others.length}>
        {others.map((other) => (
          <Row
            key={other.id}
            does="Make them one case"
            act={() => join(view.id, other.id)}
            may
            caseId={view.id}
          >
            <b>Same job?</b>{' '}
            <Link to="/cases/$caseId" params={{ caseId: other.id }}>
              {other.title}
            </Link>{' '}
            <span className="muted">({other.sources.join(', ')})</span> may be of this job too. It is a case
            of its own, because {other.because}.
          </Row>
        ))}
      </Together>
    </>
  )
}

/** One is said at once; of several a line, so that the headline stays in sight. */
const Together = ({ many, children }: { many: number; children: ReactNode }) =>
  many < 2 ? (
    children
  ) : (
    <details className={`${css.together} screen`}>
      <summary>
        <b>Same job?</b> {capital(inWords(many))} other cases may be of this job too.
      </summary>
      {children}
    </details>
  )

function Row({
  does,
  act,
  may,
  caseId,
  children,
}: {
  does: string
  act: () => Promise<{ id: string }>
  may: boolean
  caseId: string
  children: ReactNode
}) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const change = useMutation({
    mutationFn: act,
    onSuccess: async ({ id }) => {
      // Under its address the other was answered as this one.
      queries.removeQueries({ queryKey: ['case', id] })
      if (id !== caseId) await queries.invalidateQueries({ queryKey: ['case', caseId] })
      await queries.invalidateQueries({ queryKey: ['cases'] })
      if (stillHere()) await navigate({ to: '/cases/$caseId', params: { caseId: id } })
    },
  })
  return (
    <div className={`${css.several} screen`} role="status">
      <p>
        {children} {change.error?.message}
      </p>
      {may && (
        <button
          type="button"
          className={button.button}
          disabled={change.isPending}
          onClick={() => change.mutate()}
        >
          {does}
        </button>
      )}
    </div>
  )
}

const takeApart = (caseId: string) =>
  answered(client.POST('/api/v1/cases/{case_id}/apart', { params: { path: { case_id: caseId } } }))

const join = (caseId: string, other: string) =>
  answered(
    client.POST('/api/v1/cases/{case_id}/join', {
      params: { path: { case_id: caseId } },
      body: { case: other },
    }),
  )
