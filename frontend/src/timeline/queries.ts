import { answered, client } from '../api/client'
import type {
  CallFilter,
  CallsRequest,
  HeatLayer,
  HeatmapView,
  LogPlace,
  Part,
  RowsRequest,
  SelectedCalls,
  TimelineView,
  TraceSummary,
} from './requests'

const FOR_GOOD = Number.POSITIVE_INFINITY

/** What `useQuery` is given for a part of the plane. */
export interface Asking<V> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { signal: AbortSignal }) => Promise<V>
  readonly staleTime: number
  readonly gcTime: number
}

const KEPT_MS = 60_000

const at = ({ caseId, given, member }: LogPlace) => ({
  path: { case_id: caseId, index: given },
  query: member === null ? {} : { member },
})

const chosen = ({ layer, operation, file, ost }: CallFilter, rows: RowsRequest | null) => ({
  layer,
  ...(operation && { operation }),
  ...(file && { file }),
  ...(ost !== null && { ost }),
  ...rows,
})

export const traceQuery = (place: LogPlace): Asking<TraceSummary> => ({
  queryKey: ['trace', place],
  queryFn: ({ signal }) =>
    answered(client.GET('/api/v1/cases/{case_id}/sources/{index}/trace', { params: at(place), signal })),
  staleTime: FOR_GOOD,
  gcTime: KEPT_MS,
})

/** `rows`: what rows are where they are no ranks. */
export const timelineQuery = (
  place: LogPlace,
  asked: CallsRequest,
  part: Part,
  rows: RowsRequest | null,
): Asking<TimelineView> => ({
  queryKey: ['timeline', place, asked, { part, rows }],
  queryFn: ({ signal }) => {
    const { path, query } = at(place)
    const what = { ...chosen(asked, rows), colour: asked.colour }
    return answered(
      client.GET('/api/v1/cases/{case_id}/sources/{index}/trace/timeline', {
        params: { path, query: { ...query, ...part, ...what } },
        signal,
      }),
    )
  },
  staleTime: FOR_GOOD,
  gcTime: KEPT_MS,
})

/** What the calls in a part add up to; its pixels are of no account. */
export const selectionQuery = (
  place: LogPlace,
  filter: CallFilter,
  part: Part,
  rows: RowsRequest | null,
): Asking<SelectedCalls> => ({
  queryKey: ['selection', place, filter, { part, rows }],
  queryFn: ({ signal }) => {
    const { path, query } = at(place)
    return answered(
      client.GET('/api/v1/cases/{case_id}/sources/{index}/trace/selection', {
        params: { path, query: { ...query, ...part, ...chosen(filter, rows) } },
        signal,
      }),
    )
  },
  staleTime: FOR_GOOD,
  gcTime: KEPT_MS,
})

export const heatmapQuery = (place: LogPlace, layer: HeatLayer, part: Part): Asking<HeatmapView> => ({
  queryKey: ['heatmap', place, layer, part],
  queryFn: ({ signal }) => {
    const { path, query } = at(place)
    return answered(
      client.GET('/api/v1/cases/{case_id}/sources/{index}/trace/heatmap', {
        params: { path, query: { ...query, layer, ...part } },
        signal,
      }),
    )
  },
  staleTime: FOR_GOOD,
  gcTime: KEPT_MS,
})
