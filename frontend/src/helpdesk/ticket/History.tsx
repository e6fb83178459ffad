import type { ReactNode } from 'react'
import { moment, unbroken } from '../../format'
import type { Ticket } from '../queries'
import { STATUS_WORDS, STATUSES } from '../queue/search'
import { TicketName } from '../TicketName'
import css from './Ticket.module.css'

type Event = Ticket['history'][number]

/** Who did what, the last first. */
export function History({ events }: { events: readonly Event[] }) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol className={css.history}>
        {events.toReversed().map((event, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what happened does not move
          <li key={events.length - i}>
            <time dateTime={event.at}>{moment(event.at)}</time>
            <span>
              <b>{event.by}</b> {saysOf(event)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

const statusWords = (stored: string | null): string =>
  STATUS_WORDS[STATUSES.find((status) => status === stored) ?? 'new']

function saysOf({ by, kind, before, after }: Event): ReactNode {
  switch (kind) {
    case 'opened':
      return 'opened it'
    case 'status':
      return `set it from ${statusWords(before)} to ${statusWords(after)}`
    case 'owner':
      if (after === by) return 'took it'
      return after === null ? 'gave it back' : `gave it to ${after}`
    case 'reference':
      return after === null ? (
        'took its reference away'
      ) : (
        <>
          linked it to <TicketName>{after}</TicketName>
        </>
      )
    case 'described':
      return `described it: ${after || 'nothing'}`
    case 'note':
      return 'wrote a note'
    case 'note changed':
      return 'changed a note'
    case 'case added':
      return `added a run ${before === 'after' ? 'after' : 'before'} the advice`
    case 'case dated':
      return `placed a run ${before === 'after' ? 'after' : 'before'} the advice, by when its job began`
    case 'case removed':
      return 'took a run out'
    case 'case deleted':
      return 'deleted a run'
    case 'joined':
      return (
        <>
          joined <TicketName>{String(before)}</TicketName> into it{after && `: ${after}`}
        </>
      )
    case 'outcome':
      return after === null
        ? 'took back what it said of the advice'
        : unbroken(`said of the advice: ${after}`)
  }
}
