import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useMemo } from 'react'
import { NOTHING_USED, sawNothing } from '../../analysis/headline'
import { useCase } from '../../findings/CaseContext'
import { baseName } from '../../format'
import { benchmarksAlone, OF_ALL_RANKS } from '../../sources/textEvidence'
import type { Box } from '../../timeline/box'
import { Choice } from '../../timeline/Choice'
import { FindField } from '../../timeline/find/FindField'
import { traceQuery } from '../../timeline/queries'
import { selectionInAddress, selectionOf, windowInAddress, windowOf } from '../../timeline/ranges'
import type { CallLayer, HeatLayer, LogPlace, TraceSummary } from '../../timeline/requests'
import { heightOf, type Rows } from '../../timeline/rows'
import type { TimelineSearch } from '../../timeline/search'
import { pinsInAddress, pinsOf } from '../../timeline/selected/pinned'
import { fileSpansQuery } from '../../timeline/spans/queries'
import { OstTable } from '../../timeline/summary/OstTable'
import { Summary, SummaryTables } from '../../timeline/summary/Summary'
import { LAYER_NAMES } from '../../timeline/summary/sentences'
import { dxtWouldTrace, NOT_TRACED } from '../../timeline/traceable'
import { rounded } from '../../timeline/usePart'
import {
  callLayersOf,
  colourOf,
  fileOf,
  heatLayerOf,
  operationOf,
  ostOf,
  rowsIn,
  SHOWN,
  type Show,
  showsOf,
  type Traced as TracedLog,
  useFocus,
} from '../../timeline/viewChoice'
import { Command } from '../../ui/Command'
import { Notice, Reserved, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { useStillOnPage } from '../../ui/useStillOnPage'
import css from './Timeline.module.css'

/** A log has calls, a heatmap, or both: what it is opened with is fetched. */
const BytesPlane = lazy(() =>
  import('../../timeline/BytesPlane').then((module) => ({ default: module.BytesPlane })),
)
const CallsView = lazy(() =>
  import('../../timeline/CallsView').then((module) => ({ default: module.CallsView })),
)
const FileSpans = lazy(() =>
  import('../../timeline/spans/FileSpans').then((module) => ({ default: module.FileSpans })),
)

const route = getRouteApi('/cases/$caseId/timeline')
const DXT_LINES = 'export DXT_ENABLE_IO_TRACE=1'
const HEATMAP_LINES = 'export DARSHAN_MOD_ENABLE="HEATMAP"'

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

/** Neither calls nor bins: what counters tell of each file. */
function Untraced() {
  const { caseId, document } = useCase()
  const timed = (document.charts.activity?.groups.length ?? 0) > 0
  const nothing = sawNothing(document) ? NOTHING_USED : benchmarksAlone(document) ? OF_ALL_RANKS : null
  const query = useQuery({ ...fileSpansQuery(caseId), enabled: timed })
  return (
    <>
      <h2>{timed ? 'Which file was in use, and when?' : 'Which rank did I/O, and when?'}</h2>
      {query.error && <QueryProblem query={query} what="The times of the files" />}
      {timed && query.isPending && <Skeleton height={320} />}
      {query.data && (
        <Suspense fallback={<Skeleton height={320} />}>
          <FileSpans view={query.data} />
          {/* It waits for what stands above it: it would move away otherwise. */}
          <details className={css.how}>
            <summary>Which rank did I/O when was not recorded: how to have it</summary>
            <HowToTime />
          </details>
        </Suspense>
      )}
      {!query.data && !query.isLoading && nothing && <p>{nothing}</p>}
      {!query.data && !query.isLoading && !nothing && (
        <Notice title="No source tells when which rank did I/O">
          <HowToTime />
        </Notice>
      )}
    </>
  )
}

function HowToTime() {
  const { document } = useCase()
  return (
    <>
      <p>
        The case has neither the calls of Darshan's extended tracing (DXT) nor its heatmap. Darshan 3.4 and
        newer record a heatmap by themselves; it is off where the module was disabled. In the job script:
      </p>
      <Command small text={HEATMAP_LINES} />
      {dxtWouldTrace(document) ? (
        <>
          <p>For every single call, in a short run, since such logs are large:</p>
          <Command small text={DXT_LINES} />
        </>
      ) : (
        <p>{NOT_TRACED}</p>
      )}
    </>
  )
}

function useChoose() {
  const navigate = useNavigate({ from: '/cases/$caseId/timeline' })
  const stillHere = useStillOnPage()
  return useCallback(
    (next: { [K in keyof TimelineSearch]?: TimelineSearch[K] | undefined }) => {
      if (!stillHere()) return
      navigate({
        // A key without a value leaves the address.
        search: (old) =>
          Object.fromEntries(
            Object.entries({ ...old, ...next }).filter(([, value]) => value !== undefined),
          ) as typeof old,
        replace: true,
        resetScroll: false,
      })
    },
    [navigate, stillHere],
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
      {summary.error && <QueryProblem query={summary} what="The trace" />}
      <Reserved waits={summary.isPending}>
        <Calls place={place} traced={traced} rows={rows} layers={layers} show={show} summary={summary.data}>
          {chosen}
        </Calls>
      </Reserved>
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

function NoCalls() {
  const { document } = useCase()
  return (
    <details className={css.how}>
      <summary>Single calls were not traced: what is shown are bytes in bins of time</summary>
      {dxtWouldTrace(document) ? (
        <>
          <p>To see every call with its offset and file, trace a short run with Darshan's DXT:</p>
          <Command small text={DXT_LINES} />
        </>
      ) : (
        <p>{NOT_TRACED}</p>
      )}
    </details>
  )
}

function Choices({
  traced,
  traces,
  show,
  shows,
  summary,
}: {
  traced: TracedLog
  traces: readonly TracedLog[]
  show: Show
  shows: readonly Show[]
  summary: TraceSummary | undefined
}) {
  const { document } = useCase()
  const search = route.useSearch()
  const choose = useChoose()
  const focus = useFocus(traced)
  const layers = traced.calls.map((one) => one.layer)
  const files = summary?.files ?? []
  const file = fileOf(summary, show, search.only, operationOf(search.op, focus))
  return (
    <>
      <Choice
        name="Log"
        value={String(traced.source)}
        options={traces.map((one) => [
          String(one.source),
          document.sources[one.source]?.name ?? `source ${one.source + 1}`,
        ])}
        onChange={(log) =>
          choose({ log, t: undefined, ranks: undefined, bytes: undefined, only: undefined, ost: undefined })
        }
      />
      <Choice
        name="Show"
        value={show}
        options={shows.map((one) => [one, SHOWN[one]])}
        onChange={(next) => choose({ show: next === shows[0] ? undefined : next, rowsel: undefined })}
      />
      {show === 'bytes' ? (
        <Choice
          name="Layer"
          value={heatLayerOf(traced, search.at, focus, document.charts.layers)}
          options={traced.heatmaps.map((one) => [one, LAYER_NAMES[one]])}
          onChange={(layer) => choose({ at: layer })}
        />
      ) : (
        <Choice
          name="Layer"
          value={
            callLayersOf(traced, search).length > 1 ? 'both' : (callLayersOf(traced, search)[0] ?? 'POSIX')
          }
          options={[
            ...(layers.length > 1 ? [['both', 'one below the other'] as const] : []),
            ...layers.map((one) => [one, LAYER_NAMES[one]] as const),
          ]}
          onChange={(layer) => choose({ at: layer === 'both' ? undefined : layer })}
        />
      )}
      <Choice
        name="Direction"
        value={operationOf(search.op, focus) ?? 'both'}
        options={[
          ['both', 'reads and writes'],
          ['read', 'reads'],
          ['write', 'writes'],
        ]}
        onChange={(op) => choose({ op })}
      />
      {show === 'bytes' ? (
        traced.nprocs > 440 && (
          <Choice
            name="Shade"
            value={search.rows ?? 'busiest'}
            options={[
              ['busiest', 'busiest rank of a row'],
              ['sum', 'sum of a row'],
            ]}
            onChange={(rows) => choose({ rows: rows === 'sum' ? 'sum' : undefined })}
          />
        )
      ) : (
        <>
          <Choice
            name="Colour by"
            value={colourOf(search.colour, summary, focus)}
            options={[
              ['operation', 'direction'],
              ['file', 'file'],
              ...(summary && summary.osts_total > 0 ? [['ost', 'OST'] as const] : []),
            ]}
            onChange={(colour) => choose({ colour })}
          />
          <Choice
            name="File"
            value={file?.record ?? 'all'}
            options={[
              ...(show !== 'offsets' ? [['all', 'all files'] as const] : []),
              ...files.map((one) => [one.record, baseName(one.path)] as const),
            ]}
            onChange={(record) => choose({ only: record === 'all' ? undefined : record, bytes: undefined })}
          />
          {summary && summary.osts.length > 1 && (
            <Choice
              name="OST"
              value={String(ostOf(summary, search.ost) ?? 'all')}
              options={[
                ['all', 'all OSTs'],
                ...summary.osts
                  .map((one) => one.ost)
                  .sort((a, b) => a - b)
                  .map((one) => [String(one), `OST ${one}`] as const),
              ]}
              onChange={(one) => choose({ ost: one === 'all' ? undefined : one })}
            />
          )}
          {summary && <FindField summary={summary} onFound={choose} />}
        </>
      )}
    </>
  )
}
