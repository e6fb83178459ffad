import { answered, client } from '../../api/client'
import type { components } from '../../api/schema'
import type { Ticket, TicketFields } from '../queries'

type TwoTexts = components['schemas']['TwoTexts']

/** What became of a change: the ticket as it is now, or, where somebody else was quicker, both texts. */
export type TicketUpdate =
  | { readonly kind: 'written'; readonly ticket: Ticket }
  | { readonly kind: 'conflict'; readonly version: number; readonly theirs: TicketFields | string }

interface Call {
  readonly data?: Ticket
  readonly error?: unknown
  readonly response: Response
}

async function changed(call: Promise<Call>): Promise<TicketUpdate> {
  const answer = await call
  if (answer.response.status === 409 && isTwoTexts(answer.error)) {
    return { kind: 'conflict', version: answer.error.version, theirs: answer.error.theirs }
  }
  return { kind: 'written', ticket: await answered(Promise.resolve(answer)) }
}

const isTwoTexts = (body: unknown): body is TwoTexts =>
  typeof body === 'object' && body !== null && 'theirs' in body && 'version' in body

const at = (ticket: number) => ({ params: { path: { ticket_id: ticket } } })

export const writeFields = (ticket: number, version: number, fields: TicketFields): Promise<TicketUpdate> =>
  changed(client.PATCH('/api/v1/tickets/{ticket_id}', { ...at(ticket), body: { ...fields, version } }))

export const addNote = (ticket: number, text: string): Promise<Ticket> =>
  answered(client.POST('/api/v1/tickets/{ticket_id}/notes', { ...at(ticket), body: { text } }))

export const writeNote = (
  ticket: number,
  note: number,
  version: number,
  text: string,
): Promise<TicketUpdate> =>
  changed(
    client.PATCH('/api/v1/tickets/{ticket_id}/notes/{note_id}', {
      params: { path: { ticket_id: ticket, note_id: note } },
      body: { text, version },
    }),
  )

/** Without a side the start of its job tells on which it is. */
export const attach = (ticket: number, of: string, role: 'before' | 'after' | null): Promise<Ticket> =>
  answered(client.POST('/api/v1/tickets/{ticket_id}/cases', { ...at(ticket), body: { case: of, role } }))

export const detach = (ticket: number, of: string): Promise<Ticket> =>
  answered(
    client.DELETE('/api/v1/tickets/{ticket_id}/cases/{case_id}', {
      params: { path: { ticket_id: ticket, case_id: of } },
    }),
  )

export const decideOutcome = (
  ticket: number,
  body: components['schemas']['OutcomeDecision'],
): Promise<Ticket> => answered(client.PATCH('/api/v1/tickets/{ticket_id}/outcome', { ...at(ticket), body }))

/** By its number or its reference. */
export const findTicket = (name: string): Promise<Ticket> =>
  answered(client.GET('/api/v1/ticket-named', { params: { query: { name } } }))

/** The other by the name by which it was looked up: a reference may be a number that is another's here. */
export const joinTicket = (ticket: number, version: number, other: string): Promise<TicketUpdate> =>
  changed(
    client.POST('/api/v1/tickets/{ticket_id}/join', { ...at(ticket), body: { ticket: other, version } }),
  )
