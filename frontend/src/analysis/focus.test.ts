import { expect, it } from 'vitest'
import { lateRanks, oneStripe, slowOst } from '../fixtures/documents'
import { evaluate } from './evaluate'
import { focusOf } from './focus'

it('is the time at the layer where an OST is slow, whatever bytes lie on it', () =>
  expect(focusOf(evaluate(slowOst, {}))).toEqual({ of: 'time', layer: 'POSIX' }))

it('is the bytes where a file is on one stripe', () =>
  expect(focusOf(evaluate(oneStripe, {}))?.of).toBe('bytes'))

it('is nothing where nothing is triggered', () => {
  const decided = evaluate(lateRanks, {})
  expect(focusOf({ ...decided, findings: [] })).toBeNull()
})
