import { expect, it } from 'vitest'
import type { CaseDocument } from '../../analysis/caseDocument'
import { tunedRun } from '../../fixtures/darshan'
import type { RankTable } from '../../ranks/columns'
import { ofTheRest } from './Ranks'

const moving = (bytes: number): Pick<CaseDocument, 'metrics'> => ({
  metrics: {
    'io.bytes': { ...tunedRun.metrics['io.bytes'], value: bytes } as CaseDocument['metrics'][string],
  },
})
const told = (bytes: number): Pick<RankTable, 'use'> => {
  const use = tunedRun.charts.ranks
  const [series] = use?.series ?? []
  if (!use || !series) throw new Error('the fixture tells no ranks apart')
  return { use: { ...use, series: [{ ...series, total_bytes: bytes }] } }
}

it('says of a few lines of output that they are not how the job moves its bytes', () => {
  expect(ofTheRest(moving(2 ** 37), told(2 ** 20))).toMatch(
    /^That is .*% of the job's bytes: of the others no source tells the ranks apart\.$/,
  )
  expect(ofTheRest(moving(2 ** 37), told(2 ** 36))).toBeNull()
  expect(ofTheRest(moving(0), told(0))).toBeNull()
})
