/** What a ticket is called: its reference in the centre's own ticket system, else its number here. */
export const ticketName = (number: number, reference: string | null): string =>
  reference ?? `ticket ${number}`
