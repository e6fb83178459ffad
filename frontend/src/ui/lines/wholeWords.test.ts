import { expect, test } from 'vitest'
import { partsOf, piecesOf } from './wholeWords'

test('paths, options and calls stay whole, and the parts are the line', () => {
  const line = '  lfs find /scratch1/glock/test-scratch1 --ost 14  # all  of 2.5_x'
  const parts = partsOf(line)
  expect(parts.map(({ text }) => text).join('')).toBe(line)
  expect(parts.filter(({ breaks }) => breaks).map(({ text }) => text)).toEqual([
    '/scratch1/glock/test-scratch1',
    '--ost',
  ])
  expect(parts[0]).toEqual({ text: '  lfs find ', breaks: false })
  expect(partsOf('')).toEqual([{ text: '', breaks: false }])
})

test('a word that is longer than a line is broken where its parts are joined', () => {
  const preload = 'LD_PRELOAD=/sw/darshan-3.5/lib/libdarshan.so:/sw/b.so'
  expect(piecesOf(preload)).toEqual([
    'LD_PRELOAD=',
    '/sw/',
    'darshan-3.5/',
    'lib/',
    'libdarshan.so:',
    '/sw/',
    'b.so',
  ])
  expect(piecesOf('MPICH_MPIIO_HINTS="*:cb_nodes=4,romio_cb_write=enable"')).toEqual([
    'MPICH_MPIIO_HINTS=',
    '"*:',
    'cb_nodes=',
    '4,',
    'romio_cb_write=',
    'enable"',
  ])
  expect(piecesOf('https://io.example.org/cases/')).toEqual(['https://', 'io.example.org/', 'cases/'])
  expect(piecesOf('MPI_Comm_split_type(MPI_COMM_WORLD,')).toEqual(['MPI_Comm_split_type(', 'MPI_COMM_WORLD,'])
  expect(piecesOf('MPI_Init()')).toEqual(['MPI_Init()'])
  expect(piecesOf('plain')).toEqual(['plain'])
  expect(partsOf('export A=1,2').at(-1)).toEqual({ text: 'A=1,2', breaks: true })
})
