import { greatest, group } from 'd3-array'
import type { Comparison } from '../api/types'

export type Run = Comparison['runs'][number]
export type RatedRun = Run & { readonly rate: number }
export type ScaledRun = RatedRun & { readonly processes: number }

export const isRated = (run: Run): run is RatedRun => run.rate !== null && run.rate > 0
export const isScaled = (run: Run): run is ScaledRun =>
  isRated(run) && run.processes !== null && run.processes > 0

export const best = (runs: readonly RatedRun[]): RatedRun | undefined => greatest(runs, ({ rate }) => rate)

/** The best run of each group, in the order in which the groups first come. */
export function bestOf(runs: readonly RatedRun[], of: (run: RatedRun) => string): readonly RatedRun[] {
  return [...group(runs, of).values()].flatMap((some) => best(some) ?? [])
}

/** Is this a read benchmark's rate? Its colour is that of reading then. */
export const colourOf = (run: Run): 'read' | 'write' =>
  run.rate_of === 'benchmark.read_bandwidth' ? 'read' : 'write'
