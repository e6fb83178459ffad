import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { useCase } from '../../findings/CaseContext'
import type { Box } from '../../timeline/box'
import { Choices } from '../../timeline/Choices'
import { traceQuery } from '../../timeline/queries'
import { selectionInAddress, selectionOf, windowInAddress, windowOf } from '../../timeline/ranges'
import type { CallLayer, HeatLayer, LogPlace, TraceSummary } from '../../timeline/requests'
import { heightOf, type Rows } from '../../timeline/rows'
import { pinsInAddress, pinsOf } from '../../timeline/selected/pinned'
import { OstTable } from '../../timeline/summary/OstTable'
import { Summary, SummaryTables } from '../../timeline/summary/Summary'
import { NoCalls, Untraced } from '../../timeline/Untraced'
import { useChoose } from '../../timeline/useChoose'
import { rounded } from '../../timeline/usePart'
import {
  callLayersOf,
  colourOf,
  fileOf,
  heatLayerOf,
  operationOf,
  ostOf,
  rowsIn,
  type Show,
  showsOf,
  type Traced as TracedLog,
  useFocus,
} from '../../timeline/viewChoice'
import { Notice, Reserved, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import css from './Timeline.module.css'

/** A log has calls, a heatmap, or both: what it is opened with is fetched. */
const BytesPlane = lazy(() =>
  import('../../timeline/BytesPlane').then((module) => ({ default: module.BytesPlane })),
)
const CallsView = lazy(() =>
  import('../../timeline/CallsView').then((module) => ({ default: module.CallsView })),
)
const route = getRouteApi('/cases/$caseId/timeline')
/** When which rank did what: the calls of DXT, or bytes by rank and time; else when each file was in use. */
export function Timeline() {
  const { document } = useCase()
  const search = route.useSearch()
  const traces = document.charts.activity?.traces ?? []
  const traced = traces.find((one) => String(one.source) === search.log) ?? traces[0]
  return (
    <div className={css.view}>
      {traced ? (
        <>
          <h2>Which rank did I/O, and when?</h2>
          <Traced key={traced.source} traced={traced} traces={traces} />
        </>
      ) : (
        <Untraced />
      )}
    </div>
  )
}

function Traced({ traced, traces }: { traced: TracedLog; traces: readonly TracedLog[] }) {
  const { caseId, document } = useCase()
  const search = route.useSearch()
  const choose = useChoose()
  const source = document.sources[traced.source]
  const place: LogPlace = { caseId, given: source?.given ?? 0, member: source?.member ?? null }
  const calls = traced.calls.map((one) => one.layer)
  const summary = useQuery({ ...traceQuery(place), enabled: calls.length > 0 })
  const shows = showsOf(traced)
  const show: Show = shows.find((one) => one === search.show) ?? shows[0] ?? 'bytes'
  const chosen = <Choices traced={traced} traces={traces} show={show} shows={shows} summary={summary.data} />
  const focus = useFocus(traced)
  const operation = operationOf(search.op, focus)

  if (show === 'bytes') {
    const heat = heatLayerOf(traced, search.at, focus, document.charts.layers)
    return (
      <>
        {calls.length === 0 && <NoCalls />}
        <Suspense fallback={<Skeleton height={heightOf({ down: 'rank' }, traced.nprocs, 1)} />}>
          <Bytes key={heat} place={place} traced={traced} layer={heat} operation={operation}>
            {chosen}
          </Bytes>
        </Suspense>
      </>
    )
  }

  const layers = callLayersOf(traced, search)
  const rows = rowsIn(traced, show, summary.data, search.only, operation)
  if (rows === null) {
    return summary.error ? (
      <QueryProblem query={summary} what="The trace" />
    ) : summary.data ? (
      <Notice title="No offsets were recorded">The trace has no call whose offset is known.</Notice>
    ) : (
      <Skeleton height={440} />
    )
  }
  return (
    <Suspense fallback={<Skeleton height={heightOf({ down: 'rank' }, traced.nprocs, layers.length)} />}>
      {summary.data ? (
        <Summary summary={summary.data} layers={layers} />
      ) : (
        <Reading error={summary.error !== null} />
      )}
      <div className={css.picture}>
        {summary.error && <QueryProblem query={summary} what="The trace" />}
        <Reserved waits={summary.isPending}>
          <Calls place={place} traced={traced} rows={rows} layers={layers} show={show} summary={summary.data}>
            {chosen}
          </Calls>
        </Reserved>
      </div>
      {summary.data && (
        <OstTable summary={summary.data} onOst={(one) => choose({ ost: String(one), show: undefined })} />
      )}
      {summary.data && (
        <SummaryTables
          summary={summary.data}
          layers={layers}
          onTime={(from, to) => {
            const pad = (to - from) * 0.1
            const at = { t0: Math.max(0, from - pad), t1: to + pad, y0: 0, y1: traced.nprocs }
            const near = rounded(at) ?? at
            choose({ t: `${near.t0}..${near.t1}`, show: undefined, ranks: undefined })
          }}
        />
      )}
    </Suspense>
  )
}

function Calls({
  place,
  traced,
  rows,
  layers,
  show,
  summary,
  children,
}: {
  place: LogPlace
  traced: TracedLog
  rows: Rows
  layers: readonly CallLayer[]
  show: Show
  summary: TraceSummary | undefined
  children: React.ReactNode
}) {
  const search = route.useSearch()
  const choose = useChoose()
  const { nprocs, extent_s } = traced
  const { down, low, high } = rows
  const full = useMemo<Box>(() => ({ t0: 0, t1: extent_s, y0: low, y1: high }), [extent_s, low, high])
  const focus = useFocus(traced)
  const operation = operationOf(search.op, focus)
  const file = fileOf(summary, show, search.only, operation)
  return (
    <CallsView
      key={`${show} ${show === 'offsets' ? file?.record : ''}`}
      place={place}
      layers={layers}
      chosen={{
        operation,
        file: file?.record ?? null,
        ost: ostOf(summary, search.ost),
      }}
      colour={colourOf(search.colour, summary, focus)}
      nprocs={nprocs}
      extent_s={extent_s}
      rows={rows}
      summary={summary}
      fromAddress={windowOf(search, down, full)}
      onRest={(box) => {
        const next = windowInAddress(box, full, down, search)
        if (next) choose(next)
      }}
      selection={selectionOf(search, down, full)}
      onSelect={(box) => choose(selectionInAddress(box, full, down))}
      pins={pinsOf(search.pins)}
      onPins={(pins) => choose({ pins: pinsInAddress(pins) })}
    >
      {children}
    </CallsView>
  )
}

function Bytes({
  place,
  traced,
  layer,
  operation,
  children,
}: {
  place: LogPlace
  traced: TracedLog
  layer: HeatLayer
  operation: 'read' | 'write' | null
  children: React.ReactNode
}) {
  const search = route.useSearch()
  const choose = useChoose()
  const { nprocs, extent_s } = traced
  const full = useMemo<Box>(() => ({ t0: 0, t1: extent_s, y0: 0, y1: nprocs }), [extent_s, nprocs])
  return (
    <BytesPlane
      place={place}
      layer={layer}
      operation={operation}
      rows={search.rows === 'sum' ? 'sum' : 'busiest'}
      nprocs={nprocs}
      extent_s={extent_s}
      fromAddress={windowOf(search, 'rank', full)}
      onRest={(box) => {
        const next = windowInAddress(box, full, 'rank', search)
        if (next) choose(next)
      }}
      selection={selectionOf(search, 'rank', full)}
      onSelect={(box) => choose(selectionInAddress(box, full, 'rank'))}
    >
      {children}
    </BytesPlane>
  )
}

const Reading = ({ error }: { error: boolean }) =>
  error ? null : (
    <div className={css.reading} role="status" aria-label="The trace is being read">
      <Skeleton width="80%" />
      <Skeleton width="62%" />
    </div>
  )
