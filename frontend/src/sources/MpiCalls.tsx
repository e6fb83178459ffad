import type { CaseDocument } from '../analysis/caseDocument'
import { count, format, plural } from '../format'
import type { Column } from '../ui/DataTable'
import { Missing } from '../ui/Missing'
import { Block, Kind } from './Kind'
import { Rows } from './Rows'

type Times = NonNullable<CaseDocument['mpi']>

/** Time in MPI calls as AUTOPERF's records have it: by operation, and by rank. */
export function MpiCalls({ document }: { document: CaseDocument }) {
  const mpi = document.mpi
  const [first] = mpi?.operations ?? []
  if (!mpi || !first) return null
  const waits = mpi.ranks.some((r) => r.sync_s !== null)
  return (
    <Kind
      id="mpi"
      title="MPI calls"
      says={`${plural(mpi.operations.length, 'operation')} on ${plural(mpi.ranks_total, 'rank')}; most time in ${first.name}, ${format(first.mean_s, 's')} a rank`}
    >
      <Block
        title="By operation"
        about={`Seconds of a rank. What the MPI-IO library sends within its own calls is counted too.${waits ? '' : ' The wait in collectives was not timed: AUTOPERF was built without that.'}${mpi.partial ? ' Records are missing.' : ''}`}
      >
        <Rows<Times['operations'][number]>
          caption="MPI operations by time"
          rows={mpi.operations}
          keyOf={(o) => o.name}
          columns={[
            { name: 'operation', cell: (o) => <span className="mono">{o.name}</span> },
            { name: 'calls', number: true, cell: (o) => count(o.calls) },
            { name: 'bytes', number: true, cell: (o) => <N n={o.bytes} unit="B" why="has no bytes" /> },
            { name: 'least', number: true, cell: (o) => format(o.least_s, 's') },
            { name: 'mean', number: true, cell: (o) => format(o.mean_s, 's') },
            {
              name: 'most',
              number: true,
              cell: (o) => (
                <>
                  {format(o.most_s, 's')} <span className="muted small">rank {o.most_rank}</span>
                </>
              ),
            },
            ...waiting<Times['operations'][number]>(waits),
          ]}
        />
      </Block>
      <Block
        title="By rank"
        about={
          mpi.ranks_total > mpi.ranks.length
            ? `The ${mpi.ranks.length} with most time of ${count(mpi.ranks_total)}.`
            : 'The rank with most time first.'
        }
      >
        <Rows<Times['ranks'][number]>
          caption="Ranks by time in MPI calls"
          rows={mpi.ranks}
          keyOf={(r) => String(r.rank)}
          columns={[
            { name: 'rank', cell: (r) => `rank ${r.rank}` },
            { name: 'in MPI calls', number: true, cell: (r) => format(r.time_s, 's') },
            ...waiting<Times['ranks'][number]>(waits),
          ]}
        />
      </Block>
    </Kind>
  )
}

/** The wait in collectives, where the run timed it. */
function waiting<R extends { sync_s: number | null }>(timed: boolean): Column<R>[] {
  if (!timed) return []
  return [{ name: 'waiting', number: true, cell: (r) => <N n={r.sync_s} unit="s" why="no collective" /> }]
}

function N({ n, unit, why }: { n: number | null; unit: 'B' | 's'; why: string }) {
  return n === null ? <Missing alone>{why}</Missing> : format(n, unit)
}
