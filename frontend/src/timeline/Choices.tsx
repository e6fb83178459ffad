import { getRouteApi } from '@tanstack/react-router'
import { sourceName } from '../analysis/caseDocument'
import { LAYER_NAMES } from '../charts/frame/words/layerNames'
import { useCase } from '../findings/CaseContext'
import { baseName } from '../format'
import { Choice } from './Choice'
import { FindField } from './find/FindField'
import type { TraceSummary } from './requests'
import { useChoose } from './useChoose'
import {
  callLayersOf,
  colourOf,
  fileOf,
  heatLayerOf,
  operationOf,
  ostOf,
  SHOWN,
  type Show,
  type Traced,
  useFocus,
} from './viewChoice'

const route = getRouteApi('/cases/$caseId/timeline')

/** What is shown, of which log, layer, direction and file, and by which colour. */
export function Choices({
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
  const focus = useFocus(traced)
  const layers = traced.calls.map((one) => one.layer)
  return (
    <>
      <Choice
        name="Log"
        value={String(traced.source)}
        options={traces.map((one) => [String(one.source), sourceName(document, one.source)])}
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
        <CallChoices traced={traced} show={show} summary={summary} />
      )}
    </>
  )
}

/** What single calls have besides: a colour by what they are, their file and OST. */
function CallChoices({
  traced,
  show,
  summary,
}: {
  traced: Traced
  show: Show
  summary: TraceSummary | undefined
}) {
  const search = route.useSearch()
  const choose = useChoose()
  const focus = useFocus(traced)
  const files = summary?.files ?? []
  const file = fileOf(summary, show, search.only, operationOf(search.op, focus))
  return (
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
  )
}
