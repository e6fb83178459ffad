import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { MeasuredProfile } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { asSentence, count, linesWords, plural } from '../format'
import button from '../ui/Button.module.css'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import table from '../ui/Table.module.css'
import css from './Evidence.module.css'
import { type MeasuredSiteNamed, measuredSiteQuery } from './queries'

/** Benchmarks that were given together as the profile of the system they ran on: later jobs there are held against it. */
export function MeasuredSite() {
  const { caseId } = useCase()
  const [named, setNamed] = useState<MeasuredSiteNamed>()
  const query = useQuery({
    ...measuredSiteQuery(caseId, named ?? { name: '', title: '', mount: '', host: '' }),
    enabled: named !== undefined,
  })
  return (
    <section className={css.opinion} aria-labelledby="measured-site">
      <h3 id="measured-site">A site's profile from these results</h3>
      <p className="muted">
        What IOR, benchio, mdtest and IO500 measured on a system, as tables that later jobs there are held
        against. The short name of a site that is known extends its profile.
      </p>
      <NameForm onNamed={setNamed} />
      <div role="status">
        {named === undefined ? null : query.error ? (
          <QueryProblem query={query} what="The profile" />
        ) : !query.data ? (
          <Skeleton height={60} />
        ) : (
          <ProfileText name={named.name} profile={query.data} />
        )}
      </div>
    </section>
  )
}

function NameForm({ onNamed }: { onNamed: (named: MeasuredSiteNamed) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (key: string) => String(form.get(key) ?? '').trim()
    onNamed({ name: text('name'), title: text('title'), mount: text('mount'), host: text('host') })
  }
  return (
    <form className={css.named} onSubmit={submit}>
      <label>
        Short name
        <input
          className={button.field}
          name="name"
          required
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          placeholder="our-cluster"
        />
      </label>
      <label>
        Title
        <input
          className={button.field}
          name="title"
          maxLength={200}
          placeholder="Our Cluster (Our University)"
        />
      </label>
      <label>
        Mount point
        <input
          className={button.field}
          name="mount"
          pattern="/.+"
          maxLength={255}
          placeholder="as the results say"
        />
      </label>
      <label>
        Name of a node
        <input
          className={button.field}
          name="host"
          pattern="[\w.\-]+"
          maxLength={255}
          placeholder="nid001234"
        />
      </label>
      <button type="submit" className={button.button}>
        Make the profile
      </button>
    </form>
  )
}

interface Row {
  readonly id: string
  readonly title: string
  readonly statistic: MeasuredProfile['tables'][number]['statistic']
  readonly rows: number
  readonly decides: string
}

/** What is in the profile, what is not and why, and the file. */
export function ProfileText({ name, profile }: { name: string; profile: MeasuredProfile }) {
  const { tables, operation_tables: operations, left_out: leftOut } = profile
  const rows: Row[] = [
    ...tables.map(({ id, title, statistic, rows }) => ({
      id,
      title,
      statistic,
      rows: rows.length,
      decides: statistic === 'range' ? 'nothing: shown beside a job' : 'whether a job is slow',
    })),
    ...operations.map(({ id, title, statistic, rows }) => ({
      id: `files ${id}`,
      title,
      statistic,
      rows: rows.length,
      decides: 'nothing: kept for the record',
    })),
  ]
  return (
    <>
      {rows.length === 0 ? (
        <p>Nothing was measured by these results.</p>
      ) : (
        <>
          <table className={table.table}>
            <caption className="vh">Tables of the profile</caption>
            <thead>
              <tr>
                <th scope="col">measured</th>
                <th scope="col" className="num">
                  process counts
                </th>
                <th scope="col">figure</th>
                <th scope="col">decides</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.id}>
                  <th scope="row">{one.title}</th>
                  <td className="num">{count(one.rows)}</td>
                  <td>{one.statistic}</td>
                  <td>{one.decides}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            <a
              className={button.button}
              href={`data:application/toml;charset=utf-8,${encodeURIComponent(profile.toml)}`}
              download={`${name}.toml`}
            >
              Download {name}.toml
            </a>{' '}
            <span className="muted">
              A server uses the profiles that <code>IOTRIAGE_SITES</code> names when it starts.
            </span>
          </p>
        </>
      )}
      {leftOut.length > 0 && (
        <details>
          <summary>{plural(leftOut.length, 'result')} left out</summary>
          <ul>
            {leftOut.map((one) => (
              <li key={`${one.result} ${one.line} ${one.why}`}>
                {one.result}
                {one.line === null ? '' : `, ${linesWords(one.line, one.line)}`}: {asSentence(one.why)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
