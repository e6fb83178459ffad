import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { rulesQuery, sitesQuery } from '../../api/queries'
import { Skeleton } from '../../ui/Notice'
import shell from '../../ui/Shell.module.css'
import access from '../Access.module.css'
import { meQuery } from '../queries'
import css from './Administration.module.css'
import { Audit } from './Audit'
import { Profiles } from './Profiles'
import { profilesQuery, serverChoicesQuery } from './queries'
import { RetentionSettings } from './RetentionSettings'
import { Thresholds } from './Thresholds'

/** What an administrator sets up: sites, thresholds, how long things are kept; and who did what. */
export function AdministrationPage() {
  const { data: me } = useQuery(meQuery)
  if (!me) return null
  return (
    <div className={access.page}>
      <title>Administration · IOtriage</title>
      <div>
        <h1>Administration</h1>
        {me.role === 'admin' ? (
          <p className={shell.lead}>
            Tokens, people and their roles are on the page of{' '}
            <Link className={css.inText} to="/access">
              access
            </Link>
            .
          </p>
        ) : (
          <p>That is for administrators: you are {me.role ?? 'not logged in'}.</p>
        )}
      </div>
      {me.role === 'admin' && <Sections />}
    </div>
  )
}

/** All together when what the first of them shows is there: a section that grows later would move those below it. */
function Sections() {
  const queries = useQueries({ queries: [sitesQuery, rulesQuery, profilesQuery, serverChoicesQuery] })
  if (queries.some((query) => query.isPending)) return <Skeleton height="80vh" />
  return (
    <>
      <Profiles />
      <Thresholds />
      <RetentionSettings />
      <Audit />
    </>
  )
}
