import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../../access/queries'
import { Steady } from '../../ui/steady/Steady'
import { centreQuery } from './queries'

/** The way to the centre's reports, in the bar: for the helpdesk, where the server has a warehouse. */
export function CentreLink() {
  const { data: me } = useQuery(meQuery)
  const helps = me?.role === 'helpdesk' || me?.role === 'admin'
  const { data: centre } = useQuery({ ...centreQuery, enabled: helps })
  if (!helps || !centre?.has_warehouse) return null
  return (
    <li>
      <Link to="/centre">
        <Steady>Centre</Steady>
      </Link>
    </li>
  )
}
