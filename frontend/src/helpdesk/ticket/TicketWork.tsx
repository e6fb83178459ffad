import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { decide } from '../../analysis/evaluate'
import type { StoredDocument } from '../../api/types'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { askingQuery, type TicketStatus, triageQuery } from '../queries'
import { Reply } from '../reply/Reply'
import { TriageSteps } from '../reply/TriageSteps'
import { tickable, topOf } from '../reply/tickable'
import css from './Ticket.module.css'

/** The order in which to ask, the reply, and what to ask the user for. */
export function TicketWork({
  caseId,
  document: stored,
  status,
  onStatus,
}: {
  caseId: string
  document: StoredDocument
  status: TicketStatus
  onStatus: (status: TicketStatus) => void
}) {
  const document = useMemo(() => decide(stored), [stored])
  const steps = useQuery(triageQuery(caseId, {}))
  const asking = useQuery(askingQuery(caseId, {}))
  return (
    <>
      <section aria-labelledby="reply">
        <h2 id="reply">The reply</h2>
        <Reply
          key={caseId}
          caseId={caseId}
          findings={tickable(document)}
          first={topOf(document)}
          by={{}}
          next={
            status !== 'answered' &&
            status !== 'closed' && (
              <button type="button" className={button.button} onClick={() => onStatus('answered')}>
                Mark as answered
              </button>
            )
          }
        />
      </section>
      {asking.data && asking.data.text !== '' && (
        <section aria-labelledby="asking">
          <h2 id="asking">What to ask for</h2>
          <Asking text={asking.data.text}>
            {status !== 'waiting' && status !== 'closed' && (
              <button type="button" className={button.button} onClick={() => onStatus('waiting')}>
                Mark as waiting for the user
              </button>
            )}
          </Asking>
        </section>
      )}
      <section aria-labelledby="triage">
        <h2 id="triage">Triage, step by step</h2>
        {steps.isPending ? (
          <Skeleton height={320} />
        ) : steps.error && !steps.data ? (
          <QueryProblem query={steps} what="The triage" />
        ) : (
          <TriageSteps caseId={caseId} steps={steps.data ?? []} findings={document.findings} />
        )}
      </section>
    </>
  )
}

/** The lines for the job script that would settle what is open, as a text to the user. */
function Asking({ text, children }: { text: string; children: ReactNode }) {
  const [copied, setCopied] = useState(false)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <pre className={css.asking} tabIndex={0}>
        {text.trimEnd()}
      </pre>
      <div className={css.acts}>
        <button type="button" className={button.button} onClick={async () => setCopied(await copyText(text))}>
          {copied ? 'Copied' : 'Copy the question'}
        </button>
        {children}
      </div>
    </>
  )
}
