/** What a chart is drawn from, and how a person gets it. */
export interface Evidence {
  readonly name: string
  /** What the server calls it, where a job may be unable to leave it behind. */
  readonly key?: string
  readonly how: string
  /** Lines of the job script. */
  readonly lines?: string
  /** Whether a Darshan log has it. */
  readonly inDarshanLog?: true
}

export const DARSHAN: Evidence = {
  name: 'A Darshan log',
  how: 'Load the darshan module when the job is built or run.',
  inDarshanLog: true,
}

export const HEATMAP_OR_TRACE: Evidence = {
  name: 'A Darshan log that tells the ranks apart',
  how: 'Darshan 3.4 and newer keep a heatmap by themselves; an older one traces the calls of a short run.',
  lines: 'export DXT_ENABLE_IO_TRACE=1',
}

export const STATISTICS: Evidence = {
  name: 'The statistics of Cray MPICH',
  key: 'MPICH_MPIIO_STATS',
  how: 'It prints them for each file to standard error.',
  lines: 'export MPICH_MPIIO_STATS=1',
}

/** Where statistics were given, and are of reads alone. */
export const STATISTICS_OF_WRITES: Evidence = {
  name: 'The statistics of Cray MPICH of a file that is written',
  how: 'Where the job writes a file through MPI-IO, its block of MPICH_MPIIO_STATS has them.',
}

export const TIMERS: Evidence = {
  name: 'The timers of Cray MPICH',
  key: 'MPICH_MPIIO_TIMERS',
  how: 'It prints them for each file, and with the statistics also in seconds.',
  lines: 'export MPICH_MPIIO_TIMERS=1\nexport MPICH_MPIIO_STATS=1',
}

export const AGGREGATOR_PLACEMENT: Evidence = {
  name: 'The aggregators as Cray MPICH lists them',
  key: 'MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY',
  how: 'It prints their ranks and nodes for each file.',
  lines: 'export MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY=1',
}

export const LAYOUT: Evidence = {
  name: 'The layout of the files',
  key: 'stripe layout',
  how: 'Darshan keeps it with its LUSTRE module; while the files exist, “lfs getstripe FILE” prints it.',
}

export const BANDWIDTHS: Evidence = {
  name: 'The rate of the job, and a site that states what its file system gives',
  how: 'A Darshan log has the rate; the site can be chosen by hand beside the findings.',
}
