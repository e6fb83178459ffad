import type { CaseDocument } from '../analysis/caseDocument'

const TRACED: readonly string[] = ['POSIX', 'MPI-IO']

/** Whether Darshan's DXT would have calls of a run like this: it traces those of POSIX and MPI-IO, not those of DFS,
 * DAOS or STDIO. Where no source counts by layer, it may. */
export function dxtWouldTrace({ charts }: CaseDocument): boolean {
  const used = charts.layers.filter((one) => one.calls || one.bytes_read || one.bytes_written)
  return used.length === 0 || used.some(({ layer }) => TRACED.includes(layer))
}

/** For those of whom it has none. */
export const NOT_TRACED =
  "Darshan's DXT traces calls of POSIX and MPI-IO alone, and this job has none: its other layers leave no single calls."
