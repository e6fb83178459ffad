import { useQuery } from '@tanstack/react-query'
import { ruleQuery } from '../api/queries'
import { Prose, sectionsOf } from '../ui/Prose'

/** The first paragraph that the rule's page has on it; nothing where the page says nothing. */
export function WhyItMatters({ rule }: { rule: string }) {
  const { data } = useQuery(ruleQuery(rule))
  const section = data && sectionsOf(data.page).find(({ heading }) => /^why it matters/i.test(heading ?? ''))
  const [first] = section?.blocks ?? []
  if (!first) return null
  return (
    <div>
      <h4>Why it matters</h4>
      <Prose blocks={[first]} />
    </div>
  )
}
