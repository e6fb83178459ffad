import { useQuery } from '@tanstack/react-query'
import { unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import type { Box } from '../box'
import { heatmapQuery } from '../queries'
import type { HeatLayer, LogPlace } from '../requests'
import { rankRows } from '../rows'
import { BusiestTables } from '../summary/BusiestTables'
import { bytesInWords, selectionInWords } from '../summary/sentences'
import { untilTheEnd } from '../summary/untilTheEnd'
import { wholePart } from '../usePart'
import css from './Panels.module.css'

/** What the selected bins of a heatmap add up to: whole bins, as it cannot be determined where in one a byte was moved. */
export function SelectedBytes({
  place,
  layer,
  end_s,
  selection,
  onCloser,
  onClear,
}: {
  place: LogPlace
  layer: HeatLayer
  /** What is said ends with it. */
  end_s: number
  selection: Box
  onCloser: () => void
  onClear: () => void
}) {
  const query = useQuery(heatmapQuery(place, layer, { ...wholePart(selection), columns: COLUMNS }))
  const told = query.data && untilTheEnd(query.data, end_s)
  return (
    <section className={css.panel} aria-label="Selection">
      <div className={css.head}>
        <h3>{unbroken(selectionInWords(selection, rankRows(selection.y1)))}</h3>
        <div className={`${css.does} screen`}>
          <button type="button" className={button.button} onClick={onCloser}>
            Look closer
          </button>
          <button type="button" className={button.button} onClick={onClear}>
            Clear selection
          </button>
        </div>
      </div>
      {query.error && <QueryProblem query={query} what="The selection" />}
      {told ? (
        <div role="status">
          <p className={css.said}>{unbroken(bytesInWords(told))}</p>
          <BusiestTables view={told} />
        </div>
      ) : (
        !query.error && <Skeleton height={80} />
      )}
    </section>
  )
}

/** So many stretches of it are told apart for its busiest one. */
const COLUMNS = 64
