import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { ForStaff } from '../../access/ForStaff'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import shell from '../../ui/Shell.module.css'
import { centreQuery } from './queries'

/** The report of the last day that has logs. */
export const Latest = () => (
  <ForStaff>
    <LatestDay />
  </ForStaff>
)

function LatestDay() {
  const centre = useQuery(centreQuery)
  const last = centre.data?.days.at(-1)
  if (last !== undefined) return <Navigate to="/centre/$day" params={{ day: last }} replace />
  return (
    <div className={shell.wrap}>
      <title>Centre · IOtriage</title>
      <h1>Centre</h1>
      {centre.isPending ? (
        <Skeleton height={400} />
      ) : centre.error ? (
        <QueryProblem query={centre} what="The days of the warehouse" />
      ) : centre.data.has_warehouse ? (
        <Notice title="No logs have been taken in yet">
          Whoever runs the server does so with <code>iotriage ingest FOLDER</code>, at least once a day.
        </Notice>
      ) : (
        <Notice title="This server has no logs of a whole centre">
          Whoever runs it takes them in each day with <code>iotriage ingest FOLDER</code>, and names the
          folder that this fills: <code>IOTRIAGE_WAREHOUSE</code>.
        </Notice>
      )}
    </div>
  )
}
