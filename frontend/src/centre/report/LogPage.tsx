import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ForStaff } from '../../access/ForStaff'
import { ApiError, BASE } from '../../api/client'
import type { Grade } from '../../api/types'
import { format, plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { Notice, Skeleton } from '../../ui/Notice'
import { PathText } from '../../ui/PathText'
import { QueryProblem } from '../../ui/QueryProblem'
import { RuleLink } from '../../ui/RuleLink'
import { Scroll } from '../../ui/Scroll'
import { SeverityMark } from '../../ui/Severity'
import shell from '../../ui/Shell.module.css'
import table from '../../ui/Table.module.css'
import { useStillOnPage } from '../../ui/useStillOnPage'
import { logQuery, readAgain } from './queries'
import css from './Report.module.css'
import { inWords } from './search'
import type { CentreLog } from './types'

/** One log of the warehouse: what was found in it then, and the way to the case of it now. */
export const LogPage = () => (
  <ForStaff>
    <OneLog />
  </ForStaff>
)

function OneLog() {
  const { day, log } = useParams({ from: '/centre/$day/logs/$log' })
  const found = useQuery(logQuery(day, log))
  return (
    <div className={`${shell.wrap} ${css.page}`}>
      <title>{`A log of ${inWords(day)} · IOtriage`}</title>
      <p className={`${css.back} screen`}>
        <Link to="/centre/$day" params={{ day }}>
          The report of {inWords(day)}
        </Link>
      </p>
      {found.isPending ? (
        <Skeleton height={400} />
      ) : isGone(found.error) ? (
        <>
          <h1>There is no log at this address.</h1>
          <p className={shell.lead}>
            Its day may have been taken in again since, or dropped; the report of the day has those that are
            there.
          </p>
        </>
      ) : found.error ? (
        <QueryProblem query={found} what="The log" />
      ) : (
        <Known log={found.data} />
      )}
    </div>
  )
}

/** Also where an address has something that is no log's. */
const isGone = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || error.status === 422)

function Known({ log }: { log: CentreLog }) {
  const { row } = log
  const facts = [
    row.job_id === null ? null : `job ${row.job_id}`,
    row.person === null ? null : `user ${row.person}`,
    row.executable,
    row.nprocs === null ? null : format(row.nprocs, 'ranks'),
    row.nnodes === null ? null : format(row.nnodes, 'nodes'),
    row.runtime_s === null ? null : format(row.runtime_s, 's'),
  ]
  return (
    <>
      <h1>{unbroken(row.headline ?? row.failure ?? 'A log')}</h1>
      <p className={css.then}>{facts.filter((fact) => fact !== null).join(DOT)}</p>
      <p className={css.path}>
        <bdi dir="ltr">
          <PathText path={log.path} />
        </bdi>
      </p>
      <Again log={log} />
      <Findings log={log} />
      {log.steps.length > 0 && <Steps log={log} />}
    </>
  )
}

function Again({ log }: { log: CentreLog }) {
  const navigate = useNavigate()
  const stillHere = useStillOnPage()
  const reading = useMutation({
    mutationFn: () => readAgain(log.day, log.log),
    onSuccess: (caseId) => {
      if (stillHere()) void navigate({ to: '/cases/$caseId', params: { caseId } })
    },
  })
  const kept = new URL(`api/v1/centre/logs/${log.day}/${log.log}/document`, BASE).href
  return (
    <>
      {log.gone !== null && (
        <Notice title={log.gone}>
          {log.row.has_document
            ? 'What was said of it when it was taken in is kept.'
            : 'No document of it is kept: it had no finding above info.'}
        </Notice>
      )}
      {reading.error && (
        <QueryProblem query={{ error: reading.error, refetch: () => reading.mutate() }} what="The log" />
      )}
      <div className={css.actions}>
        {log.gone === null && (
          <button
            type="button"
            className={button.main}
            disabled={reading.isPending}
            onClick={() => reading.mutate()}
          >
            {reading.isPending ? 'Reading the log…' : 'Open its case'}
          </button>
        )}
        {log.row.has_document && (
          <a className={button.button} href={kept} download>
            The page as it was then, as a file
          </a>
        )}
      </div>
    </>
  )
}

function Findings({ log }: { log: CentreLog }) {
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">What was found when it was taken in</h2>
      {log.findings.length === 0 ? (
        <p className="muted">{log.row.failure ?? 'No rule found anything.'}</p>
      ) : (
        <Scroll label="Findings">
          <table className={table.table} aria-label="Findings">
            <thead>
              <tr>
                <th scope="col">severity</th>
                <th scope="col">rule</th>
                <th scope="col">what</th>
                <th scope="col">files</th>
                <th scope="col" className="num">
                  takes
                </th>
              </tr>
            </thead>
            <tbody>
              {log.findings.map((finding) => (
                <tr key={`${finding.rule} ${finding.scope_label}`}>
                  <td>
                    <SeverityMark mark={finding.severity as Grade} /> {finding.severity}
                  </td>
                  <td className="nowrap">
                    <RuleLink rule={finding.rule}>{finding.rule}</RuleLink>
                  </td>
                  <td>
                    {finding.headline && unbroken(finding.headline)}
                    {finding.explained_by !== null && (
                      <span className="muted"> explained by {finding.explained_by}</span>
                    )}
                  </td>
                  <td>{finding.scope_label}</td>
                  <td className="num">{finding.takes_s ? format(finding.takes_s, 's') : ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

function Steps({ log }: { log: CentreLog }) {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">{plural(log.steps.length + log.more_steps, 'other log')} of the job on that day</h2>
      <ul className={css.steps}>
        {log.steps.map((step) => (
          <li key={step.log}>
            <SeverityMark mark={(step.headline_severity ?? 'unknown') as Grade} label />{' '}
            <Link to="/centre/$day/logs/$log" params={{ day: log.day, log: step.log }}>
              {unbroken(step.headline ?? 'a log')}
            </Link>
            {step.runtime_s !== null && <span className="muted"> {format(step.runtime_s, 's')}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
