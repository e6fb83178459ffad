import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../../access/queries'
import button from '../../ui/Button.module.css'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { act, colleaguesQuery, type HeldBy, ticketOfCaseQuery } from '../queries'
import { STATUS_WORDS } from '../queue/search'
import { TicketName, ticketTitle } from '../TicketName'
import css from './CaseTicket.module.css'

/** The ticket that a case is of, or what makes one of it: a case that staff looked up is in no queue, to be taken there. */
export function CaseTicket({ caseId }: { caseId: string }) {
  const queries = useQueryClient()
  const me = useQuery(meQuery).data?.id ?? null
  const held = useQuery(ticketOfCaseQuery(caseId))
  const taking = useMutation({
    mutationFn: () => act({ entries: [{ case: caseId }], owner: me ?? '', status: 'in work' }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['ticket-of-case', caseId] }),
        queries.invalidateQueries({ queryKey: ['queue'] }),
      ]),
  })
  const refused = taking.error?.message ?? taking.data?.[0]?.refused
  if (held.error && held.data === undefined) return <QueryProblem query={held} what="The case's ticket" />
  return (
    <p className={css.ticket} role="status">
      {held.isPending ? (
        <Skeleton width={220} height={32} />
      ) : held.data ? (
        <Held by={held.data} me={me} />
      ) : (
        held.data === null && (
          <>
            Nobody has taken this case.{' '}
            <button
              type="button"
              className={button.button}
              disabled={taking.isPending}
              onClick={() => taking.mutate()}
            >
              Take it
            </button>
          </>
        )
      )}{' '}
      {refused}
    </p>
  )
}

function Held({ by, me }: { by: HeldBy; me: string | null }) {
  const people = useQuery(colleaguesQuery).data ?? []
  const owner = people.find((one) => one.id === by.owner)?.name ?? by.owner
  return (
    <span>
      {by.reference !== null && 'Ticket '}
      <Link to="/tickets/$ticketId" params={{ ticketId: String(by.ticket) }}>
        <TicketName>{ticketTitle(by.ticket, by.reference)}</TicketName>
      </Link>
      , {STATUS_WORDS[by.status]},{' '}
      {by.owner === null ? "nobody's" : by.owner === me ? 'yours' : `of ${owner}`}
    </span>
  )
}
