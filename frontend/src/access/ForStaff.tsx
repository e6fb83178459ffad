import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import shell from '../ui/Shell.module.css'
import css from './Access.module.css'
import { meQuery } from './queries'

/** What the helpdesk works with; a user is told where theirs is. */
export function ForStaff({ children }: { children: ReactNode }) {
  const { data: me } = useQuery(meQuery)
  if (me?.role !== 'user') return children
  return (
    <div className={shell.wrap}>
      <title>For the helpdesk · IOtriage</title>
      <h1>That is where the helpdesk works.</h1>
      <p className={shell.lead}>
        You see the cases that you gave, and those that the helpdesk gave you:{' '}
        <Link className={css.inText} to="/">
          your cases
        </Link>
        .
      </p>
    </div>
  )
}
