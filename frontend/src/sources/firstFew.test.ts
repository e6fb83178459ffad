import { expect, it } from 'vitest'
import { firstFew } from './firstFew'

it.each([
  [['a'], 'A'],
  [['a', 'b', 'c'], 'A; B; C'],
  [['a', 'b', 'c', 'd', 'e'], 'A; B; C; 2 more'],
])('says the first few, and how many more there are', (all, said) => {
  expect(firstFew(all, (one) => one.toUpperCase())).toBe(said)
})
