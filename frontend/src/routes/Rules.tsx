import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { rulesQuery, sitesQuery } from '../api/queries'
import type { RuleView } from '../api/types'
import { plural } from '../format'
import { recordsQuery } from '../helpdesk/queries'
import { TeamEvidence } from '../helpdesk/TeamEvidence'
import button from '../ui/Button.module.css'
import { Cite } from '../ui/cite/Cite'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { Scroll } from '../ui/Scroll'
import section from '../ui/Section.module.css'
import { SeverityMark, SeverityWord } from '../ui/Severity'
import shell from '../ui/Shell.module.css'
import table from '../ui/Table.module.css'
import css from './Rules.module.css'

export function Rules() {
  const rules = useQuery(rulesQuery)
  // It stands in the table, whose lines would move.
  const records = useQuery(recordsQuery)
  const [filter, setFilter] = useState('')
  // Letters are shown before the table follows them.
  const words = useDeferredValue(filter).toLowerCase()
  const texts = useMemo(
    () => rules.data?.map((rule) => `${rule.id} ${rule.title} ${rule.page}`.toLowerCase()),
    [rules.data],
  )
  const shown = useMemo(
    () => rules.data?.filter((_, n) => texts?.[n]?.includes(words)),
    [rules.data, texts, words],
  )
  return (
    <div className={shell.wrap}>
      <title>Rules · IOtriage</title>
      <h1>Rules and their sources</h1>
      <p className={shell.lead}>
        Each diagnosis is a condition on measured quantities, with thresholds that a document states or that
        are marked as the project's own. Closest to the root cause first.
      </p>
      <div className={section.row}>
        <h2>{rules.data ? plural(rules.data.length, 'rule') : 'Rules'}</h2>
        <input
          type="search"
          className={`${button.field} ${section.end}`}
          placeholder="name or words"
          aria-label="Filter rules"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      {rules.isPending || records.isPending ? (
        <Skeleton height={400} />
      ) : rules.error ? (
        <QueryProblem query={rules} what="The rules" />
      ) : shown && shown.length > 0 ? (
        <RuleTable rules={shown} />
      ) : (
        <p className="muted">No rule has “{filter}” in its name or its page.</p>
      )}
      {/* Below a table whose length is not known yet, they would move away under the pointer. */}
      {!rules.isPending && !records.isPending && <Sites />}
    </div>
  )
}

function Sites() {
  const sites = useQuery(sitesQuery)
  return (
    <section aria-labelledby="sites">
      <div className={section.row}>
        <h2 id="sites">Sites</h2>
        <p>a centre's file systems, and where its documents set other numbers</p>
      </div>
      {sites.isPending ? (
        <Skeleton height={120} />
      ) : sites.error ? (
        <QueryProblem query={sites} what="The sites" />
      ) : (
        <Scroll label="Sites">
          <table className={table.table} aria-label="Sites">
            <thead>
              <tr>
                <th scope="col">site</th>
                <th scope="col">file systems</th>
                <th scope="col" className="num">
                  own thresholds
                </th>
                <th scope="col">profile checked</th>
              </tr>
            </thead>
            <tbody>
              {sites.data.map((site) => (
                <tr key={site.id}>
                  <th scope="row">
                    <Link to="/sites/$siteId" params={{ siteId: site.id }}>
                      {site.title}
                    </Link>
                    {site.status === 'retired' && <span className="muted"> retired</span>}
                  </th>
                  <td className="soft">
                    {site.file_systems.map((fs) => fs.title).join('; ') || 'none named'}
                  </td>
                  <td className="num">{site.thresholds.length}</td>
                  <td className="muted">{site.checked}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

const RuleTable = memo(function RuleTable({ rules }: { rules: readonly RuleView[] }) {
  return (
    <Scroll label="Rules">
      <table className={`${table.table} ${css.list}`} aria-label="Rules">
        <thead>
          <tr>
            <th scope="col">severity</th>
            <th scope="col">rule</th>
            <th scope="col">what it says</th>
            <th scope="col">who says so</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <Row key={rule.id} rule={rule} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
})

const Row = memo(function Row({ rule }: { rule: RuleView }) {
  return (
    <tr>
      <td className="nowrap">
        <SeverityMark mark={rule.severity} /> <SeverityWord mark={rule.severity} />
      </td>
      <th scope="row" className="nowrap">
        <Link className="mono" to="/rules/$ruleId" params={{ ruleId: rule.id }}>
          {rule.id}
        </Link>
      </th>
      <td className={css.says}>
        {rule.title}
        <small className={css.team}>
          <TeamEvidence rule={rule.id} />
        </small>
      </td>
      <td>
        <Documents rule={rule} />
      </td>
    </tr>
  )
})

function Documents({ rule }: { rule: RuleView }) {
  const keys = [
    ...new Set([
      ...rule.citations.map((c) => c.document),
      ...rule.thresholds.map((t) => t.stated_by.document),
    ]),
  ]
  return (
    <>
      {keys.map((key) => (
        <span key={key}>
          <Cite plain document={key} rule={rule.id} of={rule.documents.find((d) => d.key === key)} />{' '}
        </span>
      ))}
    </>
  )
}
