import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { lazy, useEffect, useState } from 'react'
import { ForStaff } from '../../access/ForStaff'
import { meQuery } from '../../access/queries'
import { hasSeveralJobs } from '../../analysis/severalJobs'
import { ApiError } from '../../api/client'
import { caseQuery, infoQuery } from '../../api/queries'
import type { StoredDocument } from '../../api/types'
import { createCase, type Sent } from '../../api/upload'
import { baseName, unbroken } from '../../format'
import { LatePart } from '../../ui/LatePart'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import shell from '../../ui/Shell.module.css'
import { KeyHelp, type KeyWords, useKeys } from '../keyboard'
import { type Ticket, ticketQuery } from '../queries'
import { ticketTitle } from '../TicketName'
import type { Side } from './AddRun'
import { Details } from './Details'
import { History } from './History'
import { Notes } from './Notes'
import { OutcomeSection } from './OutcomeSection'
import { SimilarJobs } from './SimilarJobs'
import css from './Ticket.module.css'
import { TicketCases } from './TicketCases'
import { TicketHead } from './TicketHead'
import { FirstAsking, TicketWork, UnreadReply } from './TicketWork'
import { attach } from './ticketRequests'
import { useQuickChange } from './useQuickChange'

/** Of few tickets. */
const SeveralJobs = lazy(() =>
  import('../../routes/SeveralJobs').then((module) => ({ default: module.SeveralJobs })),
)
/** Opened by a click. */
const AddRun = lazy(() => import('./AddRun').then((module) => ({ default: module.AddRun })))
const JoinTicket = lazy(() => import('./JoinTicket').then((module) => ({ default: module.JoinTicket })))

const route = getRouteApi('/tickets/$ticketId')

const KEYS: KeyWords = [
  ['a', 'take it'],
  ['r', 'copy the reply'],
  ['m', 'mark it as answered'],
  ['w', 'mark it as waiting for the user'],
  ['c', 'close it'],
  ['n', 'the next in the queue'],
  ['?', 'this list'],
]

/** One ticket: its cases before and after, what goes back, notes, history, and what became of the advice. */
export const TicketPage = () => (
  <ForStaff>
    <Fetched />
  </ForStaff>
)

function Fetched() {
  const { ticketId } = route.useParams()
  const query = useQuery({
    ...ticketQuery(Number(ticketId)),
    // Asked for by the number of one that was joined into it, it is here already.
    placeholderData: (before) => (before?.id === Number(ticketId) ? before : undefined),
  })
  if (query.isPending) {
    return (
      <div className={shell.wrap} role="status" aria-label="The ticket is being fetched">
        <Skeleton width="62%" height={36} />
        <p />
        <Skeleton height={320} />
      </div>
    )
  }
  if (!query.data) {
    const gone = query.error instanceof ApiError && query.error.status === 404
    return (
      <div className={shell.wrap}>
        <title>Ticket · IOtriage</title>
        {gone ? (
          <>
            <h1>There is no ticket at this address.</h1>
            <p className={shell.lead}>It may have been removed, or it is not yours to see.</p>
            <Link to="/queue">The queue</Link>
          </>
        ) : (
          <QueryProblem query={query} what="The ticket" />
        )}
      </div>
    )
  }
  return <Found address={ticketId} ticket={query.data} />
}

/** One that was joined into another is shown where that is. Where somebody joins it while it is looked at, the page stays as it is,
 * and so does the note that is being written there. */
function Found({ address, ticket }: { address: string; ticket: Ticket }) {
  const id = String(ticket.id)
  const [page, setPage] = useState({ began: address, numbers: [address] })
  const { began, numbers } = page.numbers.includes(address) ? page : { began: address, numbers: [address] }
  if (!numbers.includes(id) || began !== page.began) setPage({ began, numbers: [...numbers, id] })
  return (
    <>
      {id !== address && <Navigate to="/tickets/$ticketId" params={{ ticketId: id }} replace />}
      <Shown key={began} ticket={ticket} />
    </>
  )
}

function Shown({ ticket }: { ticket: Ticket }) {
  const queries = useQueryClient()
  const me = useQuery(meQuery).data?.id ?? null
  const sites = useQuery(infoQuery).data?.sites ?? []
  const [adding, setAdding] = useState(false)
  const [joining, setJoining] = useState(false)
  const [help, setHelp] = useState(false)
  // As in the queue; where all ran after the advice, it has none.
  const lead = ticket.cases.find((one) => one.id === ticket.leading) ?? ticket.cases[0] ?? null
  const view = useQuery({ ...caseQuery(lead?.id ?? '', null), enabled: lead !== null })
  const keep = (now: Ticket) => {
    queries.setQueryData(ticketQuery(ticket.id).queryKey, now)
    void queries.invalidateQueries({ queryKey: ['queue'] })
  }
  const became = ticket.outcome?.sentence
  // A reply tells of the rerun, once there is one that says something.
  useEffect(() => {
    if (became !== undefined) void queries.invalidateQueries({ queryKey: ['reply'] })
  }, [became, queries])
  const quick = useQuickChange(ticket, keep)
  const { fields } = ticket
  const take = () => quick.mutate({ owner: me, status: fields.status === 'new' ? 'in work' : fields.status })
  useKeys({
    a: () => me !== null && me !== fields.owner && take(),
    m: () => quick.mutate({ status: 'answered' }),
    w: () => quick.mutate({ status: 'waiting' }),
    c: () => quick.mutate({ status: 'closed' }),
    '?': () => setHelp(true),
  })
  const finish = async (sent: readonly Sent[], side: Side) => {
    const made = await createCase(sent, null)
    keep(await attach(ticket.id, made, side))
    setAdding(false)
  }
  return (
    <div className={css.page}>
      <title>{`${ticketTitle(ticket.id, ticket.fields.reference)}: ${fields.subject || lead?.headline || 'no case yet'} · IOtriage`}</title>
      <TicketHead
        ticket={ticket}
        title={fields.subject || unbroken(lead?.headline ?? 'No case yet')}
        me={me}
        quick={quick}
        onTake={take}
        onAdd={() => setAdding(true)}
        onJoin={() => setJoining(true)}
      />
      <div className={css.body}>
        <div className={css.main}>
          <OutcomeSection ticket={ticket} onChanged={keep} />
          <TicketCases ticket={ticket} onChanged={keep} />
          {lead === null && (
            <FirstAsking
              ticketId={ticket.id}
              system={fields.system}
              status={fields.status}
              onStatus={(status) => quick.mutate({ status })}
            />
          )}
          {lead !== null && view.isPending && <Skeleton height={1600} />}
          {view.data?.status === 'failed' && (
            <UnreadReply
              caseId={view.data.id}
              status={fields.status}
              onStatus={(status) => quick.mutate({ status })}
            />
          )}
          {view.data?.document && (
            // Together with what it stands above, which would else be moved down by it.
            <LatePart what="The reply" waiting={<Skeleton height={1600} />}>
              {hasSeveralJobs(view.data.document) && (
                <SeveralJobs
                  view={view.data}
                  document={view.data.document}
                  onSplit={() => queries.invalidateQueries({ queryKey: ['ticket', ticket.id] })}
                />
              )}
              <TicketWork
                caseId={view.data.id}
                document={view.data.document}
                status={fields.status}
                onStatus={(status) => quick.mutate({ status })}
              />
            </LatePart>
          )}
        </div>
        <aside className={css.side} aria-label="Details, notes and history">
          <Details
            // What is written of one ticket is not of another that it was joined into.
            key={ticket.id}
            ticket={ticket}
            evidence={evidenceOf(view.data?.document ?? null, sites)}
            onChanged={keep}
          />
          <Notes ticket={ticket} onChanged={keep} />
          <History events={ticket.history} />
          {lead && <SimilarJobs caseId={lead.id} ticket={ticket.id} />}
        </aside>
      </div>
      {help && <KeyHelp keys={KEYS} about="They act on this ticket." onClose={() => setHelp(false)} />}
      {adding && (
        <LatePart what="The place for a run">
          <AddRun ticket={ticket} onClose={() => setAdding(false)} finish={finish} />
        </LatePart>
      )}
      {joining && (
        <LatePart what="The place for another ticket">
          <JoinTicket
            key={ticket.id}
            ticket={ticket}
            onClose={() => setJoining(false)}
            onJoined={(now) => {
              keep(now)
              setJoining(false)
            }}
          />
        </LatePart>
      )}
    </div>
  )
}

/** What the document says about the job, as the queue has it. */
function evidenceOf(
  document: StoredDocument | null,
  sites: readonly { readonly id: string; readonly status: string }[],
) {
  if (document === null) return {}
  const { job, site, texts } = document
  const accounts = texts.flatMap(({ part }) => ('account' in part && part.account ? [part.account] : []))
  return {
    user: job.uid === null ? null : String(job.uid),
    project: accounts[0] ?? null,
    // What holds for any system names none, in the queue neither.
    system: sites.find(({ id }) => id === site.id)?.status === 'generic' ? null : site.id,
    application: job.executable === null ? null : baseName(job.executable),
  }
}
