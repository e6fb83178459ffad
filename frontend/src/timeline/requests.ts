import type { components } from '../api/schema'

type Schemas = components['schemas']
/** What lies down the plane. */
export type Down = 'rank' | 'offset' | 'size'

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

export interface CallsRequest extends CallFilter {
  readonly colour: Colour
}

/** Rows that are no ranks, in bytes. */
export interface RowsRequest {
  readonly down: Down
  readonly low: number
  readonly high: number
}
