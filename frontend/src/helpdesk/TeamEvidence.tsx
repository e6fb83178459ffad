import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../access/queries'
import { EXPORTED_CASE } from '../api/embedded'
import { count } from '../format'
import { recordsQuery } from './queries'
import { speedupWords } from './speedupWords'

/** How the advice of a rule has done, in all reruns here or in one's own: nothing where none has shown it yet. */
export function TeamEvidence({ rule }: { rule: string }) {
  const { data: me } = useQuery(meQuery)
  const records = useQuery({ ...recordsQuery, enabled: EXPORTED_CASE === null })
  const found = records.data?.find((one) => one.rule === rule)
  if (!found || !me) return null
  const { helped, did_not_help, unclear, median_factor } = found
  const reruns = helped + did_not_help + unclear
  return (
    <span>
      {me.role === 'user' ? 'by your reruns' : 'here, by reruns'}: helped {count(helped)} of {count(reruns)}
      {median_factor !== null && `, ${speedupWords(median_factor)}${reruns > 1 ? ' at the median' : ''}`}
    </span>
  )
}
