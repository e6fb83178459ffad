import { useQuery } from '@tanstack/react-query'
import { EXPORTED_CASE } from '../api/embedded'
import { count } from '../format'
import { inTimes } from './inTimes'
import { recordsQuery } from './queries'

/** How the advice of a rule has done here: nothing where no rerun has shown it yet. */
export function TeamEvidence({ rule }: { rule: string }) {
  const records = useQuery({ ...recordsQuery, enabled: EXPORTED_CASE === null })
  const found = records.data?.find((one) => one.rule === rule)
  if (!found) return null
  const { helped, did_not_help, unclear, median_factor } = found
  return (
    <span>
      here, by reruns: helped {count(helped)} of {count(helped + did_not_help + unclear)}
      {median_factor !== null && `, in the middle ${inTimes(median_factor)}`}
    </span>
  )
}
