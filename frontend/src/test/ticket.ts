import type { Ticket, TicketFields } from '../helpdesk/queries'

export const FIELDS: TicketFields = {
  subject: 'slow',
  status: 'new',
  owner: null,
  reference: null,
  system: null,
  user: null,
  project: null,
  application: null,
}

/** A ticket that nobody has taken yet, and without a run, as the server gives it. */
export const ticketOf = (more: Partial<Ticket> = {}): Ticket => ({
  id: 1,
  version: 1,
  fields: FIELDS,
  url: null,
  created_at: '2026-11-20T09:14:00Z',
  created_by: 'ada',
  changed_at: '2026-11-20T09:14:00Z',
  cases: [],
  leading: null,
  notes: [],
  history: [],
  outcome: null,
  ...more,
})
