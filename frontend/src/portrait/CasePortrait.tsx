import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { portraitQuery } from '../api/queries'
import { Portrait } from './Portrait'

/** The portrait of a case, and the way to how it is read; nothing where no answer has one, as in a page of an earlier version. */
export default function CasePortrait({ caseId }: { caseId: string }) {
  const { data } = useQuery(portraitQuery(caseId))
  if (data === undefined) return null
  if (data === null) return <Portrait of={null} />
  return (
    <Link to="/glossary" hash="portrait" title="How to read it">
      <Portrait of={data} />
    </Link>
  )
}
