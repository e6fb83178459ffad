import { useQuery } from '@tanstack/react-query'
import { ruleQuery } from '../api/queries'
import { Prose, sectionsOf } from '../ui/Prose'

/** The first paragraph that the rule's page has on it; nothing where the page says nothing. Its column stands before it is there:
 * what is beside it would move. */
export function WhyItMatters({ rule }: { rule: string }) {
  const { data, isPending } = useQuery(ruleQuery(rule))
  const section = data && sectionsOf(data.page).find(({ heading }) => /^why it matters/i.test(heading ?? ''))
  const [first] = section?.blocks ?? []
  if (!first && !isPending) return null
  return (
    <div>
      <h4>Why it matters</h4>
      {first && <Prose blocks={[first]} />}
    </div>
  )
}
