import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiError } from '../api/client'
import { rulesQuery, siteQuery } from '../api/queries'
import type { RuleView, Site } from '../api/types'
import { Command } from '../ui/Command'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import shell from '../ui/Shell.module.css'
import { NotFound } from './NotFound'
import css from './Rules.module.css'
import { By } from './site/By'
import { DocumentedRates } from './site/DocumentedRates'
import { FileSystems } from './site/FileSystems'
import { HowJobsRun } from './site/HowJobsRun'
import { SetThresholds } from './site/SetThresholds'
import { StripeRules } from './site/StripeRules'

const route = getRouteApi('/sites/$siteId')
export function SitePage() {
  const { siteId } = route.useParams()
  const query = useQuery(siteQuery(siteId))
  const rules = useQuery(rulesQuery)
  if (query.error instanceof ApiError && query.error.status === 404)
    return <NotFound what={`site called ${siteId}`} />
  return (
    <div className={shell.wrap}>
      <title>{`${query.data?.title ?? siteId} · IOtriage`}</title>
      {query.error ? (
        <QueryProblem query={query} what="The site" />
      ) : query.isPending ? (
        <Skeleton height={420} />
      ) : (
        <Profile site={query.data} rules={rules.data ?? []} />
      )}
    </div>
  )
}

function Profile({ site, rules }: { site: Site; rules: readonly RuleView[] }) {
  return (
    <article className={css.article}>
      <h1>{site.title}</h1>
      <p className={css.lead}>
        {site.status === 'retired' ? 'A retired system: kept for its logs. ' : ''}
        What is known of its file systems, and where its documents set other numbers.
      </p>
      <div className={css.meta}>
        <span className="mono">{site.id}</span>
        <span>profile {site.version}</span>
        <span>checked against its documents {site.checked}</span>
        {site.url && (
          <a href={site.url} rel="noreferrer">
            its own pages
          </a>
        )}
      </div>
      <HowJobsRun site={site} />
      <FileSystems found={site.file_systems} />
      {site.rates.length > 0 && <DocumentedRates site={site} />}
      {site.stripe_rules.length > 0 && <StripeRules site={site} />}
      <SetThresholds set={site.thresholds} rules={rules} />
      {site.environment.length > 0 && (
        <section aria-label="Settings it recommends">
          <h2>Settings its documents recommend</h2>
          {site.environment.map((advice) => (
            <div key={advice.text} className={css.setting}>
              <p>
                {advice.text} <By source={advice.source} />
              </p>
              <Command small text={advice.lines.join('\n')} />
            </div>
          ))}
        </section>
      )}
      {site.notes.length > 0 && (
        <section aria-label="Notes">
          <h2>Notes</h2>
          <ul className={css.bullets}>
            {site.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </article>
  )
}
