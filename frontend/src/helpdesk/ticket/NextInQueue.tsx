import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Skeleton } from '../../ui/Notice'
import { useKeys } from '../keyboard'
import { type QueueEntry, queueQuery } from '../queries'
import { EntryLink, isUnanswered, nameOf } from '../queue/QueueRows'
import { askedOf } from '../queue/search'
import css from './Ticket.module.css'

/** Leads to what waits most urgently for whose page it is: nobody has answered it, and it is theirs or nobody's. */
export function NextInQueue({ after, me }: { after: number; me: string | null }) {
  const query = useInfiniteQuery(queueQuery(askedOf({})))
  const place = useRef<HTMLSpanElement>(null)
  const waits = (entry: QueueEntry) =>
    entry.ticket !== after && isUnanswered(entry) && (entry.owner === null || entry.owner === me)
  const next = query.data?.pages[0]?.entries.find(waits) ?? null
  useKeys({ n: () => place.current?.querySelector('a')?.click() })
  return (
    <span ref={place} className={`${css.next} screen`}>
      {next ? (
        <EntryLink entry={next}>
          Next: {nameOf(next)} <kbd>n</kbd>
        </EntryLink>
      ) : (
        // Where it has a line of its own, that is kept for it.
        query.isPending && <Skeleton width={88} />
      )}
    </span>
  )
}
