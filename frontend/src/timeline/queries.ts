import { answered, client } from '../api/client'
import type { components } from '../api/schema'

const FOR_GOOD = Number.POSITIVE_INFINITY

type Schemas = components['schemas']
export type TraceSummary = Schemas['TraceSummary']
export type TimelineView = Schemas['TimelineView']
export type HeatmapView = Schemas['HeatmapView']
export type HeatLayer = HeatmapView['layer']
type Layers = 'POSIX' | 'MPIIO' | 'both'
export type Colour = 'operation' | 'file' | 'ost' | 'layer'
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

export interface CallsAsked {
  readonly layer: Layers
  readonly operation: Operation | null
  readonly file: string | null
  readonly ost: number | null
  readonly colour: Colour
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

export const traceQuery = (place: LogPlace): Asking<TraceSummary> => ({
  queryKey: ['trace', place],
  queryFn: ({ signal }) =>
    answered(client.GET('/api/v1/cases/{case_id}/sources/{index}/trace', { params: at(place), signal })),
  staleTime: FOR_GOOD,
  gcTime: KEPT_MS,
})

/** `offsets`: rows are offsets of the file, from the first byte to the one after the last; null: rows are ranks. */
export const timelineQuery = (
  place: LogPlace,
  asked: CallsAsked,
  part: Part,
  offsets: readonly [number, number] | null,
): Asking<TimelineView> => ({
  queryKey: ['timeline', place, asked, { part, offsets }],
  queryFn: ({ signal }) => {
    const { path, query } = at(place)
    const { layer, operation, file, ost, colour } = asked
    const chosen = {
      layer,
      colour,
      ...(operation && { operation }),
      ...(file && { file }),
      ...(ost !== null && { ost }),
      ...(offsets && { low_offset: offsets[0], high_offset: offsets[1] }),
    }
    return answered(
      client.GET('/api/v1/cases/{case_id}/sources/{index}/trace/timeline', {
        params: { path, query: { ...query, ...part, ...chosen } },
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
