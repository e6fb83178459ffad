import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { validateCaseSearch } from '../analysis/search'
import { EXPORTED_CASE } from '../api/embedded'
import type { Where } from '../api/types'
import { useCase } from '../findings/CaseContext'
import type { EvidenceSearch } from './search'

/** Leads to the view of the evidence, at a place in it. An exported page has no such view. */
export function EvidenceLink({
  at,
  onGo,
  children,
}: {
  at: EvidenceSearch
  onGo?: () => void
  children: ReactNode
}) {
  const { caseId } = useCase()
  if (EXPORTED_CASE !== null) return null
  return (
    <Link
      to="/cases/$caseId/evidence"
      params={{ caseId }}
      {...(onGo && { onClick: onGo })}
      search={(old) => ({ ...validateCaseSearch(old as Record<string, unknown>), ...at })}
    >
      {children}
    </Link>
  )
}

/** Where in the view of the evidence a figure stands: a counter of one record, or those of all, the largest first. One
 * that is 0 is a figure too. */
export function placeOf({ source, at }: Where): EvidenceSearch {
  if (at.kind === 'lines') return { source, line: at.first, ...(at.last > at.first && { to: at.last }) }
  const { module, counter, record } = at
  return { source, module, counter, zeros: 'yes', ...(record === null ? { largest: 'yes' } : { record }) }
}
