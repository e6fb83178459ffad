import { expect, it } from 'vitest'
import { sectionAddress } from './citation'

it.each([
  ['https://docs.archer2.ac.uk/user-guide/io/', 'I/O profiling', '#io-profiling'],
  ['https://docs.archer2.ac.uk/user-guide/io/', 'File-per-process (FPP)', '#file-per-process-fpp'],
  ['https://docs.tacc.utexas.edu/hpc/frontera/#files', 'Striping', ''],
  ['https://docs.nersc.gov/performance/io/lustre/', '', ''],
])('%s leads to its section “%s”', (url, section, anchor) => {
  expect(sectionAddress(url, section)).toBe(url + anchor)
})
