import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/client'
import { EXPORTED_CASE } from '../api/embedded'
import { documentsQuery, ruleQuery, rulesQuery, sitesQuery } from '../api/queries'
import type { CitedDocument, DocumentRef, RuleView, Site } from '../api/types'
import { Population, usePopulation } from '../centre/population/Population'
import { exactly, unbroken } from '../format'
import { TeamEvidence } from '../helpdesk/TeamEvidence'
import { Cite } from '../ui/cite/Cite'
import { sectionAddress, sourceAnchor } from '../ui/cite/citation'
import { Skeleton } from '../ui/Notice'
import { Prose, type ProseSection, sectionsOf } from '../ui/Prose'
import { QueryProblem } from '../ui/QueryProblem'
import { RuleLink } from '../ui/RuleLink'
import { Scroll } from '../ui/Scroll'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import shell from '../ui/Shell.module.css'
import table from '../ui/Table.module.css'
import { NotFound } from './NotFound'
import { RuleCondition } from './RuleCondition'
import css from './Rules.module.css'

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
        {rule.thresholds.length > 0 && <Thresholds rule={rule} sites={sites} />}
        {hasPopulation && (
          <section id={idOf(OWN_JOBS)} aria-label={OWN_JOBS}>
            <h2>{OWN_JOBS}</h2>
            <Population rule={rule} />
          </section>
        )}
        {after.map((s) => (
          <ProsePart key={s.heading} section={s} />
        ))}
        <Sources rule={rule} />
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

function Thresholds({ rule, sites }: { rule: RuleView; sites: readonly Site[] }) {
  const setting = sites.filter((site) =>
    site.thresholds.some((o) => rule.thresholds.some((t) => t.id === o.threshold)),
  )
  return (
    <section id="thresholds" aria-label="Thresholds">
      <h2>Thresholds</h2>
      <Scroll label="Thresholds">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">threshold</th>
              <th scope="col" className="num">
                default
              </th>
              {setting.map((site) => (
                <th scope="col" className="num" key={site.id}>
                  {site.title}
                </th>
              ))}
              <th scope="col">what says so</th>
              <th scope="col">what it says, or our reason</th>
            </tr>
          </thead>
          <tbody>
            {rule.thresholds.map((t) => {
              const { unit } = t
              return (
                <tr key={t.id}>
                  <th scope="row">
                    {t.title}
                    <div className="mono small muted">{t.id}</div>
                  </th>
                  <td className="num">{exactly(t.default, unit)}</td>
                  {setting.map((site) => {
                    const override = site.thresholds.find((o) => o.threshold === t.id)
                    return (
                      <td className="num" key={site.id} title={override?.why}>
                        {override ? (
                          exactly(override.value, unit)
                        ) : (
                          <span className="muted">{exactly(t.default, unit)}</span>
                        )}
                      </td>
                    )
                  })}
                  <td>
                    <Cite
                      document={t.stated_by.document}
                      section={t.stated_by.section}
                      rule={rule.id}
                      of={rule.documents.find((d) => d.key === t.stated_by.document)}
                    />
                  </td>
                  <td className={`soft ${css.says}`}>{unbroken(t.stated_by.says)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

function Sources({ rule }: { rule: RuleView }) {
  const own = rule.thresholds.some((t) => t.stated_by.document === 'project')
  const also = useAdvising(rule)
  return (
    <section id="sources" aria-label="Sources">
      <h2>Sources</h2>
      <Scroll label="Sources">
        <table className={`${table.table} ${css.sources}`}>
          <tbody>
            {rule.documents
              .filter((d) => d.key !== 'project')
              .map((document) => (
                <DocumentRow
                  key={document.key}
                  document={document}
                  sections={sectionsIn(rule, document.key)}
                  quotations={rule.quotations}
                />
              ))}
            {also && (
              <DocumentRow
                document={also.document}
                sections={also.quotations.map(({ section }) => section)}
                quotations={also.quotations}
              />
            )}
            {own && (
              <tr>
                <th scope="row">
                  <Cite document="project" />
                </th>
                <td colSpan={2}>
                  Set by this project: no document gives the number. A site can set another, and must say why.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

/** The document that the address asks for, where the rule itself does not cite it: what it advises on some jobs may. */
function useAdvising(rule: RuleView): CitedDocument | undefined {
  const { hash } = useLocation()
  const cited = rule.documents.some(({ key }) => sourceAnchor(key) === hash)
  const all = useQuery({ ...documentsQuery, enabled: hash.startsWith(sourceAnchor('')) && !cited })
  const found = cited ? undefined : all.data?.find(({ document }) => sourceAnchor(document.key) === hash)
  useEffect(() => {
    if (found) document.getElementById(sourceAnchor(found.document.key))?.scrollIntoView()
  }, [found])
  return found
}

function DocumentRow({
  document,
  sections,
  quotations,
}: {
  document: DocumentRef
  sections: readonly string[]
  quotations: RuleView['quotations']
}) {
  return (
    <tr id={sourceAnchor(document.key)}>
      <th scope="row">
        <Cite document={document.key} />
      </th>
      <td>
        <DocumentTitle document={document} />
        <ul className={css.sections}>
          {sections.map((section) => (
            <CitedSection key={section} document={document} section={section} quotations={quotations} />
          ))}
        </ul>
      </td>
      <td className="soft">
        {document.publisher}, {document.systems}
        {document.read_on && (
          <>
            <br />
            <small className="muted">read on {document.read_on}</small>
          </>
        )}
      </td>
    </tr>
  )
}

function DocumentTitle({ document }: { document: DocumentRef }) {
  if (!document.url) return <>{document.title}. </>
  return (
    <>
      <a href={document.url} rel="noreferrer noopener">
        {document.title}
      </a>
      .{' '}
    </>
  )
}

function sectionsIn(rule: RuleView, key: string): readonly string[] {
  const sections = [...rule.citations, ...rule.thresholds.map((t) => t.stated_by)]
    .filter((c) => c.document === key)
    .map((c) => c.section)
  return [...new Set(sections)]
}

/** A section with the way to it, and a few of its words. */
function CitedSection({
  document: { key, url },
  section,
  quotations,
}: {
  document: DocumentRef
  section: string
  quotations: RuleView['quotations']
}) {
  const quotes = quotations.find((one) => one.document === key && one.section === section)?.quotes ?? []
  return (
    <li>
      {url ? (
        <a href={sectionAddress(url, section)} rel="noreferrer noopener">
          {section}
        </a>
      ) : (
        <i>{section}</i>
      )}
      {quotes.map((quote) => (
        <q key={quote}>{quote}</q>
      ))}
    </li>
  )
}
