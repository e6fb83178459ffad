import { capital } from '../format'
import css from './TicketName.module.css'

/** What a ticket is called: its reference in the centre's own ticket system, else its number here. */
export const ticketName = (number: number, reference: string | null): string =>
  reference ?? `ticket ${number}`

/** The same at the beginning of a sentence or a title; a reference is as people wrote it. */
export const ticketTitle = (number: number, reference: string | null): string =>
  reference ?? capital(ticketName(number, null))

/** The name as one word, which a line ends before or behind. */
export const TicketName = ({ children }: { children: string }) => (
  <span className={css.whole}>{children}</span>
)
