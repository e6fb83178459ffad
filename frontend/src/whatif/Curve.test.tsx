import { expect, it } from 'vitest'
import { THIN } from '../format'
import { rateTicks } from './Curve'

const MIB = 2 ** 20

it('says round rates as they are: "5 GiB/s", not "5.00 GiB/s"', () => {
  const words = rateTicks([30 * MIB, 12_000 * MIB]).map((tick) => tick.words.replaceAll(THIN, ' '))
  expect(words).toEqual(['50 MiB/s', '200 MiB/s', '1 GiB/s', '5 GiB/s'])
})
