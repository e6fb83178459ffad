import { format } from '../../format'
import { type Column, DataTable } from '../../ui/DataTable'
import { Scroll } from '../../ui/Scroll'
import type { HeatmapView } from '../requests'
import css from './Summary.module.css'

type Rank = HeatmapView['busiest_ranks'][number]
type Time = HeatmapView['busiest_times'][number]

const MOVED: readonly Column<Rank | Time>[] = [
  { name: 'written', number: true, cell: (row) => format(row.written_bytes, 'B') },
  { name: 'read', number: true, cell: (row) => format(row.read_bytes, 'B') },
]
const RANKS: readonly Column<Rank>[] = [{ name: 'rank', cell: (row) => row.rank }, ...MOVED]
const TIMES: readonly Column<Time>[] = [
  { name: 'time', cell: (row) => `${format(row.from_s, 's')} to ${format(row.to_s, 's')}` },
  ...MOVED,
]

/** The chart in figures: who moved most, and when. */
export function BusiestTables({ view }: { view: HeatmapView }) {
  return (
    <details className={css.more}>
      <summary>The busiest ranks and times in figures</summary>
      <div className={css.beside}>
        <Scroll label="Busiest ranks">
          <DataTable
            caption="Busiest ranks"
            columns={RANKS}
            rows={view.busiest_ranks}
            keyOf={(row) => String(row.rank)}
          />
        </Scroll>
        <Scroll label="Busiest times">
          <DataTable
            caption="Busiest times"
            columns={TIMES}
            rows={view.busiest_times}
            keyOf={(row) => String(row.from_s)}
          />
        </Scroll>
      </div>
    </details>
  )
}
