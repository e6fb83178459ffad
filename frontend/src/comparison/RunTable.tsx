import { Link } from '@tanstack/react-router'
import type { DecidedBy } from '../analysis/search'
import type { Comparison } from '../api/types'
import { count, unbroken } from '../format'
import { PortraitRoom } from '../portrait/PortraitRoom'
import { Missing } from '../ui/Missing'
import { Num } from '../ui/Num'
import { Scroll } from '../ui/Scroll'
import table from '../ui/Table.module.css'
import css from './RunTable.module.css'

export function RunTable({
  comparison,
  ids,
  by,
}: {
  comparison: Comparison
  ids: readonly string[]
  by: DecidedBy
}) {
  const striped = comparison.runs.some((run) => run.stripes_in_words !== null)
  const timed = comparison.runs.some((run) => run.runtime_s !== null)
  const several = new Set(comparison.runs.map((run) => run.case)).size > 1
  const pictured = several && !comparison.runs.every((run) => run.rate_of.startsWith('benchmark.'))
  return (
    <Scroll label="The runs">
      <table className={table.table}>
        <caption className="vh">The runs</caption>
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col" className="num">
              ranks
            </th>
            {timed && (
              <th scope="col" className="num">
                run time
              </th>
            )}
            <th scope="col" className="num">
              in I/O
            </th>
            <th scope="col" className="num">
              rate
            </th>
            {striped && <th scope="col">striping</th>}
            {several && (
              <th scope="col" className={css.says}>
                what it says alone
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {comparison.runs.map((run) => (
            <tr key={run.label}>
              <th scope="row">
                <div className={css.run}>
                  {pictured && <PortraitRoom caseId={ids[run.case] ?? ''} />}
                  <span>
                    <b>{run.label}</b>{' '}
                    <Link to="/cases/$caseId" params={{ caseId: ids[run.case] ?? '' }} search={by}>
                      {run.title}
                    </Link>
                    {run.job_id && <span className="muted"> job {run.job_id}</span>}
                  </span>
                </div>
              </th>
              <td className="num">{run.processes === null ? <Missing /> : count(run.processes)}</td>
              {timed && (
                <td className="num">
                  {run.runtime_s === null ? <Missing /> : <Num value={run.runtime_s} unit="s" />}
                </td>
              )}
              <td className="num">
                <IoTime run={run} />
              </td>
              <td className="num">
                <Rate run={run} />
              </td>
              {striped && <td>{run.stripes_in_words ?? <Missing />}</td>}
              {several && <td className={css.says}>{unbroken(run.headline)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** Of a log that lacks records the least that it can be; the most where it leaves open whose seconds add up. */
function IoTime({ run }: { run: Comparison['runs'][number] }) {
  const seconds = run.io_time_s ?? run.io_time_at_least_s
  if (seconds === null) return <Missing />
  const bound = run.io_time_s === null ? 'at least' : run.io_time_at_most ? 'at most' : null
  return (
    <>
      {bound !== null && <span className="muted">{bound} </span>}
      <Num value={seconds} unit="s" />
    </>
  )
}

/** By the most that its time can be, and so the least that it is. */
function Rate({ run }: { run: Comparison['runs'][number] }) {
  if (run.rate === null) return <Missing />
  return (
    <>
      {run.rate_at_least && <span className="muted">at least </span>}
      <Num value={run.rate} unit="B/s" />
    </>
  )
}
