import { expect, it } from 'vitest'
import { rankTicks } from './rankTicks'

it('names ranks as the scheduler does: a number that names something has no groups', () => {
  expect(rankTicks(4, 5).map(({ words }) => words)).toEqual(['0', '1', '2', '3'])
  expect(rankTicks(83_078, 5).map(({ words }) => words)).toEqual(['0', '20000', '40000', '60000', '83077'])
})
