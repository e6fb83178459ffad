import { expect, it } from 'vitest'
import { inOrder } from './siteOrder'

it('lists the profiles of no centre first, and centres by their names', () => {
  const site = (title: string, status: 'current' | 'retired' | 'generic' = 'current') => ({ title, status })
  const given = [
    site('Frontier, Orion (OLCF)'),
    site('Any system', 'generic'),
    site('Any system with Lustre', 'generic'),
    site('Māui (NeSI)', 'retired'),
    site('Mahuika (NeSI)'),
    site('ARCHER2 (EPCC)'),
  ]
  expect(inOrder(given).map(({ title }) => title)).toEqual([
    'Any system',
    'Any system with Lustre',
    'ARCHER2 (EPCC)',
    'Frontier, Orion (OLCF)',
    'Mahuika (NeSI)',
    'Māui (NeSI)',
  ])
})
