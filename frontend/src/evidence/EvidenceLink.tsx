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

/** Where in the view of the evidence a figure stands. */
export function placeOf({ source, at }: Where): EvidenceSearch {
  if (at.kind === 'lines') return { source, line: at.first, ...(at.last > at.first && { to: at.last }) }
  return { source, module: at.module, counter: at.counter, ...(at.record !== null && { record: at.record }) }
}
