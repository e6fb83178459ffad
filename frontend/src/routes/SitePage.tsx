import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ApiError } from '../api/client'
import { rulesQuery, siteQuery } from '../api/queries'
import type { RuleView, Site } from '../api/types'
import { exactly, thresholdUnit } from '../findings/bulletScale'
import { Cite } from '../ui/Cite'
import { Command } from '../ui/Command'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import shell from '../ui/Shell.module.css'
import table from '../ui/Table.module.css'
import { NotFound } from './NotFound'
import css from './Rules.module.css'

const route = getRouteApi('/sites/$siteId')
const STRIPING = {
  yes: 'files may be striped by hand',
  discouraged: 'striping by hand is discouraged',
  impossible: 'striping means nothing here',
} as const

export function SitePage() {
  const { siteId } = route.useParams()
  const query = useQuery(siteQuery(siteId))
  const rules = useQuery(rulesQuery)
  if (query.error instanceof ApiError && query.error.status === 404)
    return <NotFound what={`a site called ${siteId}`} />
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
  const thresholds = rules.flatMap((rule) => rule.thresholds.map((t) => ({ ...t, rule: rule.id })))
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
      </div>
      <section aria-label="File systems">
        <h2>File systems</h2>
        {site.file_systems.length === 0 ? (
          <p className="soft">None is named: what the log says of the file system is used.</p>
        ) : (
          <div className="scroll">
            <table className={table.table}>
              <thead>
                <tr>
                  <th scope="col">file system</th>
                  <th scope="col">kind</th>
                  <th scope="col" className="num">
                    OSTs
                  </th>
                  <th scope="col" className="num">
                    default stripes
                  </th>
                  <th scope="col">striping</th>
                  <th scope="col">what says so</th>
                </tr>
              </thead>
              <tbody>
                {site.file_systems.map((fs) => (
                  <tr key={fs.id}>
                    <th scope="row">
                      {fs.title}
                      <div className="mono small muted">{fs.mounts.join(' ')}</div>
                    </th>
                    <td>{fs.kind}</td>
                    <td className="num">{fs.osts ?? <Missing>no source</Missing>}</td>
                    <td className="num">
                      {fs.default_stripe_count ?? <Missing>no source</Missing>}
                      {fs.default_stripe_size_bytes !== null &&
                        ` × ${exactly(fs.default_stripe_size_bytes, 'B')}`}
                    </td>
                    <td className="soft">{STRIPING[fs.manual_striping]}</td>
                    <td>
                      {fs.source && (
                        <Cite
                          document={fs.source.document}
                          section={fs.source.section}
                          title={fs.source.says}
                        />
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section aria-label="Thresholds">
        <h2>Thresholds it sets</h2>
        {site.thresholds.length === 0 ? (
          <p className="soft">None: the rules’ own numbers hold.</p>
        ) : (
          <div className="scroll">
            <table className={table.table}>
              <thead>
                <tr>
                  <th scope="col">threshold</th>
                  <th scope="col" className="num">
                    rule
                  </th>
                  <th scope="col" className="num">
                    here
                  </th>
                  <th scope="col">why</th>
                  <th scope="col">what says so</th>
                </tr>
              </thead>
              <tbody>
                {site.thresholds.map((override) => {
                  const t = thresholds.find((known) => known.id === override.threshold)
                  const unit = t
                    ? thresholdUnit({ ...t, value: t.default, site_says: null, moved_from: null })
                    : '1'
                  return (
                    <tr key={override.threshold}>
                      <th scope="row">
                        {t ? (
                          <Link to="/rules/$ruleId" params={{ ruleId: t.rule }} hash="thresholds">
                            {t.title}
                          </Link>
                        ) : (
                          <span className="mono">{override.threshold}</span>
                        )}
                      </th>
                      <td className="num muted">{t && exactly(t.default, unit)}</td>
                      <td className="num">{exactly(override.value, unit)}</td>
                      <td className={`soft ${css.says}`}>{override.why}</td>
                      <td>
                        <Cite
                          document={override.source.document}
                          section={override.source.section}
                          title={override.source.says}
                        />
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {site.environment.length > 0 && (
        <section aria-label="Settings it recommends">
          <h2>Settings its documents recommend</h2>
          {site.environment.map((advice) => (
            <div key={advice.pattern} className={css.setting}>
              <p>
                {advice.text}{' '}
                <Cite
                  document={advice.source.document}
                  section={advice.source.section}
                  title={advice.source.says}
                />
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
