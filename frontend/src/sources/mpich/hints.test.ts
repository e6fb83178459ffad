import { describe, expect, it } from 'vitest'
import { everyKind } from '../../fixtures/documents'
import { textEvidence } from '../textEvidence'
import { fits, hintGroups, matters, patternsOf } from './hints'

/** The job script of the fixture, with hints in it. */
const withHints = (value: string) => ({
  ...everyKind,
  texts: everyKind.texts.map((told) =>
    told.part.kind === 'job_context' && told.part.source === 'script'
      ? {
          ...told,
          part: {
            ...told.part,
            environment: [{ name: 'MPICH_MPIIO_HINTS', value, line: 24, cut_off: null, at_launch: false }],
          },
        }
      : told,
  ),
})
const of = (document: typeof everyKind, file: string) =>
  hintGroups(document).find((group) => group.files.some((f) => f.endsWith(file)))
const row = (document: typeof everyKind, file: string, key: string) =>
  of(document, file)?.rows.find((r) => r.key === key)

describe('hints', () => {
  it.each([
    ['*:romio_cb_write=enable', [['*', 'romio_cb_write', 'enable']]],
    [
      'out*:cb_nodes=8:striping_unit=1048576,*.nc:romio_ds_write=disable',
      [
        ['out*', 'cb_nodes', '8'],
        ['out*', 'striping_unit', '1048576'],
        ['*.nc', 'romio_ds_write', 'disable'],
      ],
    ],
    ['“*:cb_nodes=4”', [['*', 'cb_nodes', '4']]],
    ['romio_cb_read=enable', [[null, 'romio_cb_read', 'enable']]],
    ['', []],
  ])('reads %s', (text, expected) => {
    expect(patternsOf(text).map(({ pattern, key, value }) => [pattern, key, value])).toEqual(expected)
  })

  it.each([
    ['plume.0064.dat', '*', true],
    ['plume.0064.dat', 'plume.????.dat', true],
    ['plume.0064.dat', '*.nc', false],
    ['plume.0064.dat', 'plume', false],
    ['a'.repeat(200), `${'*a'.repeat(40)}b`, false],
  ])('%s fits %s: %s', (name, pattern, expected) => {
    expect(fits(name, pattern)).toBe(expected)
  })

  it('knows which decide how MPI-IO works', () => {
    expect(
      ['romio_cb_write', 'romio_ds_read', 'cb_nodes', 'striping_unit', 'cray_cb_write_lock_mode'].every(
        matters,
      ),
    ).toBe(true)
    expect(['direct_io', 'cb_align', 'abort_on_rw_error'].some(matters)).toBe(false)
  })

  it('sets what the job script asks for beside what is displayed, for files whose name fits', () => {
    const document = withHints('plume*:cb_nodes=8:romio_ds_write=disable')
    expect(row(document, 'plume.0064.dat', 'cb_nodes')).toMatchObject({
      shown: { value: '1' },
      asked: { value: '8', where: { at: { first: 24 } } },
      followed: false,
    })
    expect(row(document, 'plume.0064.dat', 'romio_ds_write')?.followed).toBe(true)
    expect(row(document, 'initial.dat', 'cb_nodes')?.asked).toBeNull()
    expect(of(document, 'plume.0064.dat')?.rows[0]?.key).toBe('cb_nodes')
  })

  it('shows a hint that was asked for and is displayed nowhere', () => {
    expect(row(withHints('*:cray_cb_nodes_max=4'), 'plume.0064.dat', 'cray_cb_nodes_max')).toMatchObject({
      shown: null,
      asked: { value: '4' },
    })
  })

  it('sets what IOR passes beside what the open file answers, as one list', () => {
    const groups = hintGroups(everyKind).filter((group) => group.printedBy === 'ior')
    expect(
      textEvidence(everyKind, 'mpiio_hints').filter(({ part }) => part.printed_by === 'ior'),
    ).toHaveLength(2)
    expect(groups).toHaveLength(1)
    expect(groups[0]?.rows.find((r) => r.key === 'romio_cb_write')).toMatchObject({
      shown: { value: 'enable' },
      asked: { value: 'enable' },
      followed: true,
    })
  })

  it('folds lists that say the same', () => {
    const [first] = textEvidence(everyKind, 'mpiio_hints')
    const many = Array.from({ length: 50 }, (_, i) => ({
      source: first?.source ?? 0,
      part: { ...(first?.part as NonNullable<typeof first>['part']), file: `out.${i}` },
    }))
    const groups = hintGroups({ ...everyKind, texts: many })
    expect(groups).toHaveLength(1)
    expect(groups[0]).toMatchObject({ lists: 50 })
    expect(groups[0]?.files).toHaveLength(50)
  })

  it('lists what was asked for where no text displays hints', () => {
    const scripted = withHints('*.nc:romio_cb_write=enable')
    const document = { ...scripted, texts: scripted.texts.filter(({ part }) => part.kind === 'job_context') }
    expect(hintGroups(document)).toMatchObject([
      {
        printedBy: null,
        files: ['*.nc'],
        rows: [{ key: 'romio_cb_write', shown: null, asked: { value: 'enable' } }],
      },
    ])
  })
})
