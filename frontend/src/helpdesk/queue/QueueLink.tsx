import { useQuery } from '@tanstack/react-query'
import { Link, useMatchRoute } from '@tanstack/react-router'
import { meQuery } from '../../access/queries'
import { Steady } from '../../ui/steady/Steady'

/** The way to the queue, in the bar: not for users, and not for who opened a link, whom it would not let in. */
export function QueueLink() {
  const { data: me } = useQuery(meQuery)
  const onTicket = useMatchRoute()({ to: '/tickets/$ticketId' }) !== false
  if (me && (me.role === 'user' || me.role === null)) return null
  return (
    <li>
      <Link to="/queue" aria-current={onTicket ? 'true' : undefined}>
        <Steady>Queue</Steady>
      </Link>
    </li>
  )
}
