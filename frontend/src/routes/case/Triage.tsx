import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useHelps } from '../../access/queries'
import { decidedBy } from '../../analysis/search'
import { useCase } from '../../findings/CaseContext'
import { triageQuery } from '../../helpdesk/queries'
import { Asking } from '../../helpdesk/reply/Asking'
import { Reply } from '../../helpdesk/reply/Reply'
import { TriageSection } from '../../helpdesk/reply/TriageSection'
import { tickable, topOf } from '../../helpdesk/reply/tickable'
import { CaseTicket } from '../../helpdesk/ticket/CaseTicket'
import { Reserved } from '../../ui/Notice'
import { useCaseState } from './CaseState'
import css from './Triage.module.css'

const route = getRouteApi('/cases/$caseId')

/** What a helpdesk asks in order, with the case's answers, and the reply to its ticket. */
export function Triage() {
  const { caseId, document, show } = useCase()
  const { sample } = useCaseState().view
  const helps = useHelps()
  const by = decidedBy(route.useSearch())
  const steps = useQuery(triageQuery(caseId, by))
  return (
    <div className={css.triage}>
      {helps && !sample && (
        <div className={css.ticket}>
          <CaseTicket caseId={caseId} />
        </div>
      )}
      <TriageSection steps={steps} height={1000} caseId={caseId} findings={document.findings} onShow={show} />
      {/* Where it stands below the steps, nobody knows before they come where that is. */}
      <Reserved waits={steps.isPending}>
        <Reply caseId={caseId} findings={tickable(document)} first={topOf(document)} by={by}>
          <div className={css.asked}>
            <Asking asked={{ caseId, by }} />
          </div>
        </Reply>
      </Reserved>
    </div>
  )
}
