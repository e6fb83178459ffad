import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ApiError } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import { ruleQuery, rulesQuery, sitesQuery } from '../api/queries'
import type { RuleView, Site } from '../api/types'
import { Population, usePopulation } from '../centre/population/Population'
import { TeamEvidence } from '../helpdesk/TeamEvidence'
import { Skeleton } from '../ui/Notice'
import { Prose, type ProseSection, sectionsOf } from '../ui/Prose'
import { QueryProblem } from '../ui/QueryProblem'
import { RuleLink } from '../ui/RuleLink'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import shell from '../ui/Shell.module.css'
import { NotFound } from './NotFound'
import { RuleCondition } from './RuleCondition'
import { RuleSources } from './RuleSources'
import css from './Rules.module.css'
import { RuleThresholds } from './RuleThresholds'

const route = getRouteApi('/rules/$ruleId')

export function Rule() {
  const { ruleId } = route.useParams()
  const query = useQuery(ruleQuery(ruleId))
  const sites = useQuery(sitesQuery)
  if (query.error instanceof ApiError && query.error.status === 404)
    return <NotFound what={`rule called ${ruleId}`} />
  if (query.error || query.isPending) {
    return (
      <div className={shell.wrap}>
        <title>{`${ruleId} · IOtriage`}</title>
        {query.error ? <QueryProblem query={query} what="The rule" /> : <Skeleton height={420} />}
      </div>
    )
  }
  return <RulePage rule={query.data} sites={sites.data ?? []} />
}

const SCOPES = { job: 'the job', group: 'a group of files', 'run-set': 'several runs' } as const

const OWN_JOBS = "On this centre's jobs"

const idOf = (heading: string) => heading.toLowerCase().replace(/[^a-z]+/g, '-')

function RulePage({ rule, sites }: { rule: RuleView; sites: readonly Site[] }) {
  const [intro, ...sections] = sectionsOf(rule.page)
  const lead = intro?.heading === null ? intro : null
  const prose = lead ? sections : sectionsOf(rule.page)
  const cut = prose.findIndex((s) => /what to do/i.test(s.heading ?? ''))
  const before = cut < 0 ? prose : prose.slice(0, cut)
  const after = cut < 0 ? [] : prose.slice(cut)
  const hasPopulation = usePopulation(rule)
  const headings = [
    ...before.map((s) => s.heading ?? ''),
    'Condition',
    ...(rule.thresholds.length > 0 ? ['Thresholds'] : []),
    ...(hasPopulation ? [OWN_JOBS] : []),
    ...after.map((s) => s.heading ?? ''),
    'Sources',
  ]
  return (
    <div className={css.wrap}>
      <title>{`Rule ${rule.id} · IOtriage`}</title>
      <Contents rule={rule} headings={headings} />
      <article className={css.article}>
        <h1 className={css.name}>{rule.id}</h1>
        <p className={css.lead}>{lead?.blocks[0]?.kind === 'paragraph' ? lead.blocks[0].text : rule.title}</p>
        <div className={css.meta}>
          <span>
            <SeverityMark mark={rule.severity} /> <SeverityWord mark={rule.severity} />
            {rule.severity === 'info' ? '' : ' where I/O matters, else info'}
          </span>
          <span>scope: {SCOPES[rule.scope]}</span>
          <span>
            {rule.confidence === 'measured'
              ? 'measured, where the evidence states it'
              : 'inferred from the evidence'}
          </span>
          <TeamEvidence rule={rule.id} />
        </div>
        {before.map((s) => (
          <ProsePart key={s.heading} section={s} />
        ))}
        <RuleCondition rule={rule} />
        {rule.thresholds.length > 0 && <RuleThresholds rule={rule} sites={sites} />}
        {hasPopulation && (
          <section id={idOf(OWN_JOBS)} aria-label={OWN_JOBS}>
            <h2>{OWN_JOBS}</h2>
            <Population rule={rule} />
          </section>
        )}
        {after.map((s) => (
          <ProsePart key={s.heading} section={s} />
        ))}
        <RuleSources rule={rule} />
      </article>
    </div>
  )
}

function ProsePart({ section }: { section: ProseSection }) {
  const heading = section.heading ?? ''
  return (
    <section id={idOf(heading)} aria-label={heading}>
      <h2>{heading}</h2>
      <Prose blocks={section.blocks} list={css.bullets} />
    </section>
  )
}

function Contents({ rule, headings }: { rule: RuleView; headings: readonly string[] }) {
  const all = useQuery(rulesQuery)
  const near = [...rule.explains, ...rule.explained_by]
  return (
    <nav className={css.toc} aria-label="On this page">
      <div>
        <h2>On this page</h2>
        <ul>
          {headings.map((heading) => (
            <li key={heading}>
              <Link to="/rules/$ruleId" params={{ ruleId: rule.id }} hash={idOf(heading)} activeProps={{}}>
                {heading}
              </Link>
            </li>
          ))}
        </ul>
        {near.length > 0 && (
          <>
            <h2>Related</h2>
            <ul>
              {near.map((id) => (
                <li key={id}>
                  <RuleLink className="mono small" rule={id}>
                    {id}
                  </RuleLink>
                </li>
              ))}
            </ul>
          </>
        )}
        {EXPORTED_CASE === null && (
          <p className={css.allRules}>
            <Link to="/rules">All {all.data?.length} rules</Link>
          </p>
        )}
      </div>
    </nav>
  )
}
