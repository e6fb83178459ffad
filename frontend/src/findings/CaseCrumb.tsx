import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAlone } from '../access/queries'
import type { CaseView } from '../api/types'
import { BothEnds } from '../ui/BothEnds'
import css from './CaseCrumb.module.css'

/** The way to the case, which ends with what stands in it. */
export function CaseCrumb({
  view,
  className = '',
  children,
}: {
  view: CaseView
  className?: string
  children: ReactNode
}) {
  const alone = useAlone()
  return (
    <p className={`${css.crumb} ${className}`}>
      {!alone && (
        <>
          <Link to="/">Cases</Link> <span aria-hidden="true">/</span>{' '}
        </>
      )}
      <span title={view.title}>
        <BothEnds name={view.title} />
      </span>
      {children}
    </p>
  )
}
