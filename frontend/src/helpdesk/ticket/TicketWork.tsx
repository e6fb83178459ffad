import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { decide } from '../../analysis/evaluate'
import type { StoredDocument } from '../../api/types'
import button from '../../ui/Button.module.css'
import { askingQuery, type TicketStatus, triageQuery } from '../queries'
import { Asking } from '../reply/Asking'
import { Reply } from '../reply/Reply'
import { TriageSection } from '../reply/TriageSection'
import { tickable, topOf } from '../reply/tickable'

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
  // Asked for beside the reply, above which it does not come.
  usePrefetchQuery(askingQuery({ caseId, by: {} }, 'plain'))
  return (
    <Reply
      key={caseId}
      caseId={caseId}
      findings={tickable(document)}
      first={topOf(document)}
      by={{}}
      next={<MarkTicket as="answered" status={status} onStatus={onStatus} />}
    >
      <Asking
        asked={{ caseId, by: {} }}
        acts={<MarkTicket as="waiting" status={status} onStatus={onStatus} />}
      >
        <TriageSection steps={steps} height={320} caseId={caseId} findings={document.findings} />
      </Asking>
    </Reply>
  )
}

const NONE = [] as const

/** To who sent files of which nothing could be read: they are to send others. */
export function UnreadReply({
  caseId,
  status,
  onStatus,
}: {
  caseId: string
  status: TicketStatus
  onStatus: (status: TicketStatus) => void
}) {
  return (
    <Reply
      key={caseId}
      caseId={caseId}
      findings={NONE}
      first={NONE}
      by={{}}
      unread
      next={<MarkTicket as="waiting" status={status} onStatus={onStatus} />}
    />
  )
}

/** To who sent no log yet: which lines make one. */
export function FirstAsking({
  ticketId,
  system,
  status,
  onStatus,
}: {
  ticketId: number
  system: string | null
  status: TicketStatus
  onStatus: (status: TicketStatus) => void
}) {
  return (
    <Asking
      key={ticketId}
      asked={{ ticketId, system }}
      acts={<MarkTicket as="waiting" status={status} onStatus={onStatus} />}
    />
  )
}

const MARKS = { answered: 'Mark as answered', waiting: 'Mark as waiting for the user' } as const

/** What is done with a ticket once a text is copied; nothing where it is marked so, or closed. */
function MarkTicket({
  as,
  status,
  onStatus,
}: {
  as: keyof typeof MARKS
  status: TicketStatus
  onStatus: (status: TicketStatus) => void
}) {
  if (status === as || status === 'closed') return null
  return (
    <button type="button" className={button.button} onClick={() => onStatus(as)}>
      {MARKS[as]}
    </button>
  )
}
