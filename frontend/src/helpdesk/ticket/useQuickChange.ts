import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Ticket, TicketFields } from '../queries'
import { type TicketUpdate, writeFields } from './ticketRequests'

export type QuickChange = UseMutationResult<TicketUpdate, Error, Partial<TicketFields>>

/** Changes some fields of the ticket at once, without its form. Where somebody else changed it first nothing is written,
 * and the ticket is fetched again. */
export function useQuickChange(ticket: Ticket, onWritten: (now: Ticket) => void): QuickChange {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (set: Partial<TicketFields>) =>
      writeFields(ticket.id, ticket.version, { ...ticket.fields, ...set }),
    onSuccess: (done) =>
      done.kind === 'written'
        ? onWritten(done.ticket)
        : queries.invalidateQueries({ queryKey: ['ticket', ticket.id] }),
  })
}
