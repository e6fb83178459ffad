import { answered, client } from '../api/client'
import type { components } from '../api/schema'
import type { Down } from './rows'

const FOR_GOOD = Number.POSITIVE_INFINITY

type Schemas = components['schemas']
export type TraceSummary = Schemas['TraceSummary']
/** `calls_of_layer` where a page of one file holds fewer calls than the layer has: how many that are. */
export type TimelineView = Schemas['TimelineView'] & { readonly calls_of_layer?: number }
export type SelectedCalls = Schemas['SelectedCalls']
export type HeatmapView = Schemas['HeatmapView']
export type HeatLayer = HeatmapView['layer']
export type CallLayer = 'POSIX' | 'MPIIO'
export type Colour = 'operation' | 'file' | 'ost'
export type Operation = 'read' | 'write'

/** Where a log is: the case, the file given, and the log in it where that is an archive. */
export interface LogPlace {
  readonly caseId: string
  readonly given: number
  readonly member: number | null
}

/** What is asked of the plane: seconds, ranks (both included), and pixels. */
export interface Part {
  readonly from_s: number
  readonly to_s: number
  readonly first_rank: number
  readonly last_rank: number
  readonly rows: number
  readonly columns: number
}

/** Which calls of one layer. */
export interface CallFilter {
  readonly layer: CallLayer
  readonly operation: Operation | null
  readonly file: string | null
  readonly ost: number | null
}

export interface CallsAsked extends CallFilter {
  readonly colour: Colour
}

/** Rows that are no ranks, in bytes. */
export interface RowsAsked {
  readonly down: Down
  readonly low: number
  readonly high: number
}

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

const chosen = ({ layer, operation, file, ost }: CallFilter, rows: RowsAsked | null) => ({
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
  asked: CallsAsked,
  part: Part,
  rows: RowsAsked | null,
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
  rows: RowsAsked | null,
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
