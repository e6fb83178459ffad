import type { components } from '../../../api/schema'

/** What people call the layers of a heatmap and of a trace, which Darshan's modules are named after. */
export const LAYER_NAMES: Readonly<Record<components['schemas']['HeatmapView']['layer'], string>> = {
  POSIX: 'POSIX',
  MPIIO: 'MPI-IO',
  STDIO: 'STDIO',
  DFS: 'DFS',
  DAOS: 'DAOS',
}
