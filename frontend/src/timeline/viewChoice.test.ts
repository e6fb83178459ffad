import { describe, expect, it } from 'vitest'
import { tunedRun } from '../fixtures/documents'
import { dxtWouldTrace } from './traceable'
import { heatLayerOf, type Traced } from './viewChoice'

type Layers = typeof tunedRun.charts.layers
const [any] = tunedRun.charts.layers
if (!any) throw new Error('the fixture has no layers')
const layer = (name: string, moved: number): Layers[number] => ({
  ...any,
  layer: name as Layers[number]['layer'],
  bytes_read: moved,
  bytes_written: 0,
  calls: moved > 0 ? 1 : 0,
})
const log: Traced = { source: 0, nprocs: 4, extent_s: 1, calls: [], heatmaps: ['STDIO', 'DFS', 'DAOS'] }
const daos = [layer('STDIO', 2_000), layer('DFS', 2 ** 25), layer('DAOS', 2 ** 25)]

describe('the layer whose bytes are drawn first', () => {
  it('is one that carries the bytes, not the first that has a heatmap', () => {
    expect(heatLayerOf(log, undefined, null, daos)).toBe('DFS')
  })
  it('is the first where none is counted, and what was chosen before all', () => {
    expect(heatLayerOf(log, undefined, null, [])).toBe('STDIO')
    expect(heatLayerOf(log, 'DAOS', null, daos)).toBe('DAOS')
  })
})

describe('the calls that DXT would trace', () => {
  const of = (layers: Layers) => dxtWouldTrace({ ...tunedRun, charts: { ...tunedRun.charts, layers } })
  it('are those of POSIX and MPI-IO', () => {
    expect(of(daos)).toBe(false)
    expect(of([...daos, layer('POSIX', 0)])).toBe(false)
    expect(of([...daos, layer('MPI-IO', 5)])).toBe(true)
  })
  it('are not denied where no source counts by layer', () => {
    expect(of([])).toBe(true)
  })
})
