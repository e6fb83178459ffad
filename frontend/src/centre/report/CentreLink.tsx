import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHelps } from '../../access/queries'
import { Steady } from '../../ui/steady/Steady'
import { centreQuery } from './queries'

/** The way to the centre's reports, in the bar: for the helpdesk, where the server has a warehouse. */
export function CentreLink() {
  const helps = useHelps()
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
