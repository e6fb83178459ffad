import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { CaseDocument } from '../../api/types'
import { useCase } from '../../findings/CaseContext'
import { BytesPlane } from '../../timeline/BytesPlane'
import type { Box } from '../../timeline/box'
import { CallsPlane } from '../../timeline/CallsPlane'
import { Choice } from '../../timeline/Choice'
import { OstTable } from '../../timeline/OstTable'
import {
  type Colour,
  type HeatLayer,
  type LogPlace,
  type TraceSummary,
  traceQuery,
} from '../../timeline/queries'
import { Summary, SummaryTables } from '../../timeline/Summary'
import { rangeOf, type TimelineSearch } from '../../timeline/search'
import { baseName, LAYER_NAMES } from '../../timeline/sentences'
import { rounded } from '../../timeline/usePart'
import { Command } from '../../ui/Command'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import css from './Timeline.module.css'

type Traced = NonNullable<CaseDocument['charts']['activity']>['traces'][number]
type Show = NonNullable<TimelineSearch['show']>

const route = getRouteApi('/cases/$caseId/timeline')
const DXT_LINES = 'export DXT_ENABLE_IO_TRACE=1'
const HEATMAP_LINES = 'export DARSHAN_MOD_ENABLE="HEATMAP"'

/** When which rank did what: the calls of DXT, or bytes by rank and time. */
export function Timeline() {
  const { document } = useCase()
  const search = route.useSearch()
  const traces = document.charts.activity?.traces ?? []
  const traced = traces.find((one) => String(one.source) === search.log) ?? traces[0]
  return (
    <div className={css.view}>
      <h2>Which rank did I/O, and when?</h2>
      {traced ? <Traced key={traced.source} traced={traced} traces={traces} /> : <NothingTimed />}
    </div>
  )
}

function NothingTimed() {
  return (
    <Notice title="No source tells when which rank did I/O">
      <p>
        The case has neither the calls of Darshan’s extended tracing (DXT) nor its heatmap. Darshan 3.4 and
        newer record a heatmap by themselves; it is off where the module was disabled. In the job script:
      </p>
      <Command small text={HEATMAP_LINES} />
      <p>For every single call, in a short run, since such logs are large:</p>
      <Command small text={DXT_LINES} />
    </Notice>
  )
}

function useChoose() {
  const navigate = useNavigate({ from: '/cases/$caseId/timeline' })
  return useCallback(
    (next: { [K in keyof TimelineSearch]?: TimelineSearch[K] | undefined }) =>
      navigate({
        // A key without a value leaves the address.
        search: (old) =>
          Object.fromEntries(
            Object.entries({ ...old, ...next }).filter(([, value]) => value !== undefined),
          ) as typeof old,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
}

function Traced({ traced, traces }: { traced: Traced; traces: readonly Traced[] }) {
  const { caseId, document } = useCase()
  const search = route.useSearch()
  const choose = useChoose()
  const source = document.sources[traced.source]
  const place: LogPlace = { caseId, given: source?.given ?? 0, member: source?.member ?? null }
  const calls = traced.calls.map((one) => one.layer)
  const summary = useQuery({ ...traceQuery(place), enabled: calls.length > 0 })
  const shows = showsOf(traced)
  const show: Show = shows.find((one) => one === search.show) ?? shows[0] ?? 'bytes'
  const range = rangeOf(search.t)
  const rows = rangeOf(show === 'offsets' ? search.bytes : search.ranks)

  const restIn = (box: Box, full: Box) => {
    const at = rounded(box)
    if (!at) return
    const wide = at.t0 <= full.t0 && at.t1 >= Math.min(full.t1, rounded(full)?.t1 ?? full.t1)
    const tall = at.y0 <= full.y0 && at.y1 >= full.y1
    const t = wide ? undefined : `${at.t0}..${at.t1}`
    const down = tall ? undefined : `${at.y0}..${show === 'offsets' ? at.y1 : at.y1 - 1}`
    const name = show === 'offsets' ? 'bytes' : 'ranks'
    if (t === search.t && down === search[name]) return
    choose({ t, [name]: down })
  }
  const boxIn = (low: number, high: number): Box | null =>
    range === null && rows === null
      ? null
      : {
          t0: range?.[0] ?? 0,
          t1: range?.[1] ?? traced.extent_s,
          y0: rows?.[0] ?? low,
          y1: rows === null ? high : rows[1] + (show === 'offsets' ? 0 : 1),
        }
  const chosen = <Choices traced={traced} traces={traces} show={show} shows={shows} summary={summary.data} />
  const operation = search.op ?? null

  if (show === 'bytes') {
    const heat = heatLayerOf(traced, search.at)
    return (
      <>
        {calls.length === 0 && <NoCalls />}
        <BytesPlane
          key={heat}
          place={place}
          layer={heat}
          operation={operation}
          rows={search.rows === 'sum' ? 'sum' : 'busiest'}
          nprocs={traced.nprocs}
          extent_s={traced.extent_s}
          fromAddress={boxIn(0, traced.nprocs)}
          onRest={restIn}
        >
          {chosen}
        </BytesPlane>
      </>
    )
  }

  const layer = callLayerOf(traced, search)
  const layers = layer === 'both' ? calls : [layer]
  const colour = colourOf(search.colour, calls.length, summary.data)
  const file = fileOf(summary.data, show, search.only)
  const ost = ostOf(summary.data, search.ost)
  const asked = { layer, operation, file: file?.record ?? null, ost, colour }
  if (show === 'offsets' && !file) {
    return summary.error ? (
      <QueryProblem query={summary} what="The trace" />
    ) : summary.data ? (
      <Notice title="No offsets were recorded">The trace has no call whose offset is known.</Notice>
    ) : (
      <Skeleton height={440} />
    )
  }
  const offsets =
    show === 'offsets' && file
      ? ([file.low_offset ?? 0, Math.max(file.high_offset ?? 0, (file.low_offset ?? 0) + 64)] as const)
      : null
  return (
    <>
      {summary.data ? (
        <Summary summary={summary.data} layers={layers} />
      ) : (
        <Reading error={summary.error !== null} />
      )}
      {summary.error && <QueryProblem query={summary} what="The trace" />}
      <CallsPlane
        key={`${show} ${file?.record ?? ''}`}
        place={place}
        asked={asked}
        nprocs={traced.nprocs}
        extent_s={traced.extent_s}
        offsets={offsets}
        summary={summary.data}
        fromAddress={boxIn(offsets?.[0] ?? 0, offsets?.[1] ?? traced.nprocs)}
        onRest={restIn}
      >
        {chosen}
      </CallsPlane>
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
    </>
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
  return (
    <details className={css.how}>
      <summary>Single calls were not traced: what is shown are bytes in bins of time</summary>
      <p>To see every call with its offset and file, trace a short run with Darshan’s DXT:</p>
      <Command small text={DXT_LINES} />
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
  traced: Traced
  traces: readonly Traced[]
  show: Show
  shows: readonly Show[]
  summary: TraceSummary | undefined
}) {
  const { document } = useCase()
  const search = route.useSearch()
  const choose = useChoose()
  const layers = traced.calls.map((one) => one.layer)
  const files = summary?.files ?? []
  const file = fileOf(summary, show, search.only)
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
        onChange={(next) => choose({ show: next === shows[0] ? undefined : next })}
      />
      {show === 'bytes' ? (
        <Choice
          name="Layer"
          value={heatLayerOf(traced, search.at)}
          options={traced.heatmaps.map((one) => [one, LAYER_NAMES[one]])}
          onChange={(layer) => choose({ at: layer })}
        />
      ) : (
        <Choice
          name="Layer"
          value={callLayerOf(traced, search)}
          options={[
            ...layers.map((one) => [one, LAYER_NAMES[one]] as const),
            ...(layers.length > 1 ? [['both', 'both'] as const] : []),
          ]}
          onChange={(layer) => choose({ at: layer })}
        />
      )}
      <Choice
        name="Direction"
        value={search.op ?? 'both'}
        options={[
          ['both', 'reads and writes'],
          ['read', 'reads'],
          ['write', 'writes'],
        ]}
        onChange={(op) => choose({ op: op === 'both' ? undefined : op })}
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
            value={colourOf(search.colour, layers.length, summary)}
            options={[
              ['operation', 'direction'],
              ['file', 'file'],
              ...(summary && summary.osts_total > 0 ? [['ost', 'OST'] as const] : []),
              ...(layers.length > 1 ? [['layer', 'layer'] as const] : []),
            ]}
            onChange={(colour) =>
              choose({
                colour: colour === 'operation' ? undefined : colour,
                ...(colour === 'layer' && { at: 'both' as const }),
              })
            }
          />
          <Choice
            name="File"
            value={file?.record ?? 'all'}
            options={[
              ...(show === 'calls' ? [['all', 'all files'] as const] : []),
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
        </>
      )}
    </>
  )
}

const SHOWN: Readonly<Record<Show, string>> = {
  calls: 'calls by rank',
  offsets: 'offsets of a file',
  bytes: 'bytes by rank',
}

const showsOf = (traced: Traced): readonly Show[] => [
  ...(traced.calls.length > 0 ? (['calls', 'offsets'] as const) : []),
  ...(traced.heatmaps.length > 0 ? (['bytes'] as const) : []),
]

const heatLayerOf = (traced: Traced, layer: TimelineSearch['at']): HeatLayer =>
  traced.heatmaps.find((one) => one === layer) ?? traced.heatmaps[0] ?? 'POSIX'

function callLayerOf(traced: Traced, { at: layer, colour }: TimelineSearch): 'POSIX' | 'MPIIO' | 'both' {
  const layers = traced.calls.map((one) => one.layer)
  if ((layer === 'both' || (colour === 'layer' && layer === undefined)) && layers.length > 1) return 'both'
  return layers.find((one) => one === layer) ?? layers.find((one) => one === 'POSIX') ?? layers[0] ?? 'POSIX'
}

/** What was chosen, where the trace has it: storage targets need the striping, layers two of them. */
function colourOf(
  chosen: TimelineSearch['colour'],
  layers: number,
  summary: TraceSummary | undefined,
): Colour {
  if (chosen === 'ost' && summary?.osts_total === 0) return 'operation'
  if (chosen === 'layer' && layers < 2) return 'operation'
  return chosen ?? 'operation'
}

/** The OST that was chosen, where calls lie on it. */
const ostOf = (summary: TraceSummary | undefined, chosen: string | undefined): number | null =>
  summary?.osts.find((one) => String(one.ost) === chosen)?.ost ?? null

/** The file that is shown: the one chosen; of offsets, else the one with most bytes. */
function fileOf(summary: TraceSummary | undefined, show: Show, record: string | undefined) {
  const chosen = summary?.files.find((file) => file.record === record)
  if (show !== 'offsets') return chosen
  const placed = summary?.files.filter((file) => file.high_offset !== null) ?? []
  return chosen && chosen.high_offset !== null ? chosen : placed[0]
}
