import type { CaseDocument } from '../../analysis/caseDocument'
import type { Growth } from '../frame/growth'
import type { Link, useMarks } from '../frame/linked'
import css from '../frame/marks.module.css'

export type Layer = CaseDocument['charts']['layers'][number]

/** Seconds of the mean rank in MPI-IO beyond the calls to storage, and in HDF5 or PnetCDF beyond the calls below them. */
export interface Beyond {
  readonly exchange: number
  readonly library: number
}

export interface Stack {
  readonly layers: readonly Layer[]
  readonly nprocs: number | null
  /** Ranks that move any bytes, of layers whose ranks are told apart. */
  readonly active: ReadonlyMap<string, number>
  readonly growth: Growth | null
  readonly beyond: Beyond | null
  /** Whether calls ran beside one another: their seconds are more than a rank spent. */
  readonly overlap: boolean
  readonly links: (path: string) => readonly Link[]
}

/** What is drawn of one layer: who moves its bytes, how many they are, what time they take. */
export type Part = (props: {
  layer: Layer
  stack: Stack
  width: number
  hatch: (kind: 'waiting' | 'missing' | 'grown') => string
  mark: ReturnType<typeof useMarks>
}) => React.ReactNode

export const bytesOf = (layer: Layer): number | null =>
  layer.bytes_read === null && layer.bytes_written === null
    ? null
    : (layer.bytes_read ?? 0) + (layer.bytes_written ?? 0)

/** Of what stands in a row, the baselines of its first line, in the middle of the bar, and of that below the bar: the same in all
 * columns. */
export const FIRST_LINE = 22
export const SECOND_LINE = 41

/** Letters on a bar are read on its colour. */
export const insideOf = (kind: string | undefined) =>
  kind === 'read' || kind === 'metadata' ? `${css.inside} ${css.onLight}` : css.inside
