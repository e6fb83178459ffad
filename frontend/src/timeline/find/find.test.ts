import { describe, expect, it } from 'vitest'
import type { TraceSummary } from '../requests'
import { find } from './find'

const file = (record: string, path: string) => ({
  record,
  path,
  bytes_read: 0,
  bytes_written: 1,
  calls: 1,
  time_s: 1,
  low_offset: 0,
  high_offset: 1,
  osts: null,
})
const summary: TraceSummary = {
  nprocs: 8,
  extent_s: 100,
  layers: [],
  heatmaps: [],
  files: [file('1', '/scratch/run/out.h5'), file('2', '/scratch/run/out.h5.log')],
  files_total: 2,
  osts: [{ ost: 9, bytes_read: 0, bytes_written: 1, alone_calls: 1, alone_bytes: 1, alone_s: 1 }],
  osts_total: 1,
  ost_layer: 'POSIX',
  bytes_without_ost: 0,
}

describe('what somebody looks for on the timeline', () => {
  it('is ranks, an OST or a time of this run', () => {
    expect(find('rank 3', summary)).toMatchObject({ ranks: '3..3' })
    expect(find('ranks 2-99', summary)).toMatchObject({ ranks: '2..7' })
    expect(find('OST 9', summary)).toEqual({ ost: '9' })
    expect(find('12.5 s', summary)).toEqual({ t: '11.5..13.5' })
    expect(find('10 to 20 s', summary)).toEqual({ t: '10..20' })
  })

  it('is a file by its name, the whole name before a part of one', () => {
    expect(find('out.h5.log', summary)).toMatchObject({ only: '2' })
    expect(find('OUT', summary)).toMatchObject({ only: '1' })
  })

  it('is nothing where the log has none such', () => {
    for (const words of ['rank 8', 'OST 4', '200 to 300 s', 'mesh.nc', ''])
      expect(find(words, summary)).toBeNull()
  })
})
