import { expect, it } from 'vitest'
import { validateEvidenceSearch } from './search'

it('takes what an address of the evidence says, and drops the rest', () => {
  expect(validateEvidenceSearch({ source: '1', line: '42', to: '57', site: 'archer2' })).toEqual({
    source: 1,
    line: 42,
    to: 57,
  })
  expect(
    validateEvidenceSearch({ module: 'MPI-IO', counter: 'OPENS', record: '18446744073709551615' }),
  ).toEqual({ module: 'MPI-IO', counter: 'OPENS', record: '18446744073709551615' })
  expect(
    validateEvidenceSearch({
      source: '-1',
      line: '0',
      to: '5',
      module: '<b>',
      record: '1e3',
      zeros: 'perhaps',
    }),
  ).toEqual({})
  expect(validateEvidenceSearch({ line: '9', to: '3' })).toEqual({ line: 9 })
  expect(validateEvidenceSearch({ shown: 'figures', figure: 'speed', missing: 'yes' })).toEqual({
    shown: 'figures',
    figure: 'speed',
    missing: 'yes',
  })
  expect(validateEvidenceSearch({ shown: 'all', figure: 3, missing: '1' })).toEqual({})
})
