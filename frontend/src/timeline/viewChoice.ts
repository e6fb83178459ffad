import { useMemo } from 'react'
import type { CaseDocument } from '../analysis/caseDocument'
import { type Focus, focusOf } from '../analysis/focus'
import { LAYER_NAMES } from '../charts/frame/words/layerNames'
import { useCase } from '../findings/CaseContext'
import type { CallLayer, Colour, HeatLayer, TraceSummary } from './requests'
import { offsetRows, type Rows, rankRows, sizeRows } from './rows'
import type { TimelineSearch } from './search'

/** What the evidence has of one log's times. */
export type Traced = NonNullable<CaseDocument['charts']['activity']>['traces'][number]
export type Show = NonNullable<TimelineSearch['show']>

export const SHOWN: Readonly<Record<Show, string>> = {
  calls: 'calls by rank',
  offsets: 'offsets of a file',
  sizes: 'transfer sizes',
  bytes: 'bytes by rank',
}

export const showsOf = (traced: Traced): readonly Show[] => [
  ...(traced.calls.length > 0 ? (['calls', 'offsets', 'sizes'] as const) : []),
  ...(traced.heatmaps.length > 0 ? (['bytes'] as const) : []),
]

/** What the leading finding is about; a direction only where a layer that has times moved anything that way. */
export function useFocus({ calls, heatmaps }: Traced): Focus | null {
  const { document } = useCase()
  return useMemo(() => {
    const focus = focusOf(document)
    const timed = [...calls.map((one) => one.layer), ...heatmaps].map((one) => LAYER_NAMES[one])
    const moved = document.charts.layers.some(
      ({ layer, bytes_read, bytes_written }) =>
        timed.some((one) => one === layer) && (focus?.direction === 'read' ? bytes_read : bytes_written),
    )
    return focus && !moved ? { ...focus, direction: null } : focus
  }, [document, calls, heatmaps])
}

/** The direction that was chosen, else that of the leading finding; null is both. */
export function operationOf(chosen: TimelineSearch['op'], focus: Focus | null): 'read' | 'write' | null {
  const of = chosen ?? focus?.direction ?? 'both'
  return of === 'both' ? null : of
}

/** The layer that was chosen, else that of the leading finding, else the first that moves at least half as much as any. */
export function heatLayerOf(
  { heatmaps }: Traced,
  chosen: TimelineSearch['at'],
  focus: Focus | null,
  layers: CaseDocument['charts']['layers'],
): HeatLayer {
  const moved = (one: HeatLayer) => {
    const of = layers.find(({ layer }) => layer === LAYER_NAMES[one])
    return (of?.bytes_read ?? 0) + (of?.bytes_written ?? 0)
  }
  const most = Math.max(0, ...heatmaps.map(moved))
  return (
    heatmaps.find((one) => one === chosen) ??
    heatmaps.find((one) => LAYER_NAMES[one] === focus?.layer) ??
    heatmaps.find((one) => moved(one) >= most / 2) ??
    'POSIX'
  )
}

/** The layers whose calls are shown, from the highest to the lowest: all that were traced, or the one chosen. */
export function callLayersOf(traced: Traced, { at: layer }: TimelineSearch): readonly CallLayer[] {
  const layers = LAYERS.filter((one) => traced.calls.some((calls) => calls.layer === one))
  return layers.some((one) => one === layer) ? layers.filter((one) => one === layer) : layers
}
const LAYERS = ['MPIIO', 'POSIX'] as const

/** What lies down the plane; null while the trace is not known of which it is made, and where it has none. */
export function rowsIn(
  traced: Traced,
  show: Show,
  summary: TraceSummary | undefined,
  only: string | undefined,
  operation: 'read' | 'write' | null,
): Rows | null {
  if (show === 'calls') return rankRows(traced.nprocs)
  if (show === 'sizes')
    return summary ? sizeRows(Math.max(1, ...summary.layers.map((layer) => layer.largest_bytes))) : null
  const file = fileOf(summary, show, only, operation)
  return file ? offsetRows(file.low_offset ?? 0, file.high_offset ?? 0) : null
}

/** What was chosen, else storage targets where the leading finding is about these: they need the striping. */
export function colourOf(
  chosen: TimelineSearch['colour'],
  summary: TraceSummary | undefined,
  focus: Focus | null,
): Colour {
  const colour = chosen ?? (focus?.targets ? 'ost' : 'operation')
  return colour === 'ost' && summary?.osts_total === 0 ? 'operation' : colour
}

/** The OST that was chosen, where calls lie on it. */
export const ostOf = (summary: TraceSummary | undefined, chosen: string | undefined): number | null =>
  summary?.osts.find((one) => String(one.ost) === chosen)?.ost ?? null

/** The file that is shown: the one chosen; of offsets, else the one with most bytes that was moved the way that is shown. */
export function fileOf(
  summary: TraceSummary | undefined,
  show: Show,
  record: string | undefined,
  operation: 'read' | 'write' | null,
) {
  const chosen = summary?.files.find((file) => file.record === record)
  if (show !== 'offsets') return chosen
  if (chosen && chosen.high_offset !== null) return chosen
  const placed = summary?.files.filter((file) => file.high_offset !== null) ?? []
  const moved = { read: 'bytes_read', write: 'bytes_written' } as const
  return placed.find((file) => operation === null || file[moved[operation]] > 0) ?? placed[0]
}
