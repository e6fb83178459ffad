import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { holdsRule } from '../api/embedded'

/** Leads to the page of a rule. An exported page holds the pages of few rules: the others' names stand as words. */
export function RuleLink({
  rule,
  hash,
  className = '',
  title,
  children,
}: {
  rule: string
  hash?: string
  className?: string | undefined
  title?: string | undefined
  children: ReactNode
}) {
  if (!holdsRule(rule)) {
    return (
      <span className={className} title={title}>
        {children}
      </span>
    )
  }
  return (
    <Link
      className={className}
      to="/rules/$ruleId"
      params={{ ruleId: rule }}
      title={title}
      {...(hash && { hash })}
    >
      {children}
    </Link>
  )
}
