import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { BASE } from '../../api/client'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import { DataTable } from '../../ui/DataTable'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import css from './Administration.module.css'
import { type AuditAsked, type AuditEntry, auditQuery, auditSearch } from './queries'

/** Of the hash of a source, as much as tells it from the others: the whole is in the export. */
const SHA256 = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g

const SAYS: Readonly<Record<string, string>> = {
  'POST /me/sign-out': 'logged out',
  'POST /tokens': 'made a token',
  'DELETE /tokens/{token_id}': 'revoked a token',
  'DELETE /people/{person_id}/access': "ended somebody's access",
  'PUT /sources/{sha256}': 'gave a source',
  'POST /cases': 'made a case',
  'PATCH /cases/{case_id}': 'chose the site of a case',
  'DELETE /cases/{case_id}': 'deleted a case',
  'POST /cases/{case_id}/sources': 'added sources to a case',
  'POST /cases/{case_id}/join': 'made one case of two',
  'POST /cases/{case_id}/apart': 'took a case apart',
  'POST /cases/{case_id}/links': 'made a share link',
  'DELETE /cases/{case_id}/links/{link_id}': 'revoked a share link',
  'PUT /cases/{case_id}/people/{person_id}': 'gave a case to somebody',
  'DELETE /cases/{case_id}/people/{person_id}': 'took a case back',
  'POST /cases/{case_id}/ticket': 'gave a case to a ticket',
  'POST /centre/logs/{day}/{log}/case': "made a case of a centre's log",
  'POST /queue/actions': 'assigned or closed entries of the queue',
  'POST /queue/views': 'saved a view of the queue',
  'DELETE /queue/views/{view_id}': 'deleted a view of the queue',
  'POST /tickets': 'opened a ticket',
  'PATCH /tickets/{ticket_id}': 'changed a ticket',
  'DELETE /tickets/{ticket_id}': 'deleted a ticket',
  'POST /tickets/{ticket_id}/notes': 'wrote a note',
  'PATCH /tickets/{ticket_id}/notes/{note_id}': 'changed a note',
  'POST /tickets/{ticket_id}/cases': 'added a run to a ticket',
  'DELETE /tickets/{ticket_id}/cases/{case_id}': 'took a run out of a ticket',
  'PATCH /tickets/{ticket_id}/outcome': 'said what became of the advice',
  'POST /tickets/{ticket_id}/outcome/compare': 'had the runs decide what became of the advice',
  'PUT /sites/{site_id}/thresholds/{threshold_id}': 'set a threshold',
  'DELETE /sites/{site_id}/thresholds/{threshold_id}': 'removed a threshold',
  'PUT /sites/{site_id}/profile': "gave a site's profile",
  'DELETE /sites/{site_id}/profile': "removed a site's profile",
  'PUT /keeping/site': 'chose the default site',
  'PUT /keeping/{kind}/days': 'chose how long things are kept',
  'DELETE /keeping/{kind}/days': 'set back how long things are kept',
}

/** Who did what, newest first: it is looked at, and changed by nobody. */
export function Audit() {
  const [asked, setAsked] = useState<AuditAsked>({ person: '', words: '', since: '' })
  const log = useInfiniteQuery(auditQuery(asked))
  const rows = log.data?.pages.flat() ?? []
  const exported = new URL(`api/v1/audit/export?${new URLSearchParams(auditSearch(asked))}`, BASE).href
  return (
    <section aria-labelledby="audit">
      <h2 id="audit">Who did what</h2>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const text = (name: string) => String(form.get(name) ?? '').trim()
          setAsked({ person: text('person'), words: text('words'), since: text('since') })
        }}
      >
        <label>
          Person
          <input className={button.field} name="person" maxLength={255} />
        </label>
        <label>
          Words
          <input className={button.field} name="words" maxLength={200} placeholder="token, links, role" />
        </label>
        <label>
          Since
          <input className={button.field} name="since" type="date" />
        </label>
        <button type="submit" className={button.button}>
          Filter
        </button>
        <a className={button.button} href={exported} download>
          Export as CSV
        </a>
      </form>
      {log.error && <QueryProblem query={log} what="The log" />}
      {log.data && rows.length === 0 && <p>Nothing that is recorded matches.</p>}
      {rows.length > 0 && (
        <Scroll label="The audit log">
          <DataTable<AuditEntry>
            caption="Audit log"
            rows={rows}
            keyOf={(row) => String(row.id)}
            columns={[
              { name: 'when', cell: (row) => moment(row.at) },
              { name: 'who', cell: (row) => row.person },
              { name: 'by', className: 'soft', cell: (row) => row.by },
              {
                name: 'did',
                cell: (row) => <span title={row.action}>{SAYS[row.action] ?? row.action}</span>,
              },
              {
                name: 'case',
                cell: (row) =>
                  row.case_id && (
                    <Link to="/cases/$caseId" params={{ caseId: row.case_id }}>
                      {row.case_id}
                    </Link>
                  ),
              },
              {
                name: 'about',
                className: css.about ?? '',
                cell: (row) => (
                  <span title={row.about ?? undefined}>{row.about?.replace(SHA256, '$1…')}</span>
                ),
              },
            ]}
          />
        </Scroll>
      )}
      {log.hasNextPage && (
        <button
          type="button"
          className={button.button}
          disabled={log.isFetchingNextPage}
          onClick={() => log.fetchNextPage()}
        >
          Show older
        </button>
      )}
    </section>
  )
}
