import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useGuest } from '../access/queries'
import { answered, client } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import type { CaseView } from '../api/types'
import button from '../ui/Button.module.css'
import css from './Case.module.css'

const othersQuery = (caseId: string) =>
  queryOptions({
    queryKey: ['case', caseId, 'same job'],
    queryFn: ({ signal }) =>
      answered(
        client.GET('/api/v1/cases/{case_id}/same-job', { params: { path: { case_id: caseId } }, signal }),
      ),
    staleTime: 30_000,
  })

/** What was joined into the case by itself or by somebody, and why, each to be taken apart; and the other cases of the
 * same job, or that may be of it, each with why it is one of its own. */
export function SameJob({ view }: { view: CaseView }) {
  const guest = useGuest()
  const mayChange = !guest && EXPORTED_CASE === null && !view.sample
  const others = useQuery({ ...othersQuery(view.id), enabled: mayChange && view.status === 'ready' })
  // An export of an earlier version has none.
  const joined = view.joined ?? []
  return (
    <>
      {joined.map((part) => (
        <Row key={part.id} does="Take apart" act={() => takeApart(part.id)} may={mayChange} caseId={view.id}>
          <b>Joined with {part.sources.join(', ')}</b>, because {part.because}.
        </Row>
      ))}
      {mayChange &&
        others.data?.map((other) => (
          <Row
            key={other.id}
            does="Make them one case"
            act={() => join(view.id, other.id)}
            may
            caseId={view.id}
          >
            <b>
              Same job?{' '}
              <Link to="/cases/$caseId" params={{ caseId: other.id }}>
                {other.title}
              </Link>
            </b>
            , a case of its own, because {other.because}.
          </Row>
        ))}
    </>
  )
}

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
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const { id } = await act()
      // Under its address the other was answered as this one.
      queries.removeQueries({ queryKey: ['case', id] })
      if (id !== caseId) await queries.invalidateQueries({ queryKey: ['case', caseId] })
      await queries.invalidateQueries({ queryKey: ['cases'] })
      await navigate({ to: '/cases/$caseId', params: { caseId: id } })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <div className={`${css.several} screen`} role="status">
      <p>
        {children} {problem}
      </p>
      {may && (
        <button type="button" className={button.button} disabled={busy} onClick={run}>
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
