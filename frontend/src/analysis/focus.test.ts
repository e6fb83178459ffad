import { expect, it } from 'vitest'
import { lateRanks, oneStripe, slowOst } from '../fixtures/documents'
import { evaluate } from './evaluate'
import { directionOf, focusOf, layerOf } from './focus'

it('is the time at the layer where an OST is slow, whatever bytes lie on it', () =>
  expect(focusOf(evaluate(slowOst, {}))).toMatchObject({ of: 'time', layer: 'POSIX', targets: true }))

it('is the bytes of the group of files that lies on one stripe', () =>
  expect(focusOf(evaluate(oneStripe, {}))).toMatchObject({ of: 'bytes', group: 'g1', targets: false }))

it.each([
  [['posix.writes', 'io.bytes'], 'write'],
  [['posix.times_read'], 'read'],
  [['file.times_rewritten'], 'write'],
  [['posix.small_read_fraction', 'posix.small_write_fraction'], null],
  [['posix.writes', 'mpiio.rmw_count'], null],
  [['file.stripe_count'], null],
] as const)('%j speaks of %s', (metrics, direction) => expect(directionOf(metrics)).toBe(direction))

it.each([
  [['balance.storage_time', 'balance.storage_waiting_fraction'], 'POSIX'],
  [['mpiio.effective_aggregators'], 'POSIX'],
  [['io.bytes', 'mpiio.small_write_fraction'], 'MPI-IO'],
  [['balance.time', 'balance.storage_time'], null],
] as const)('%j is to be seen at %s', (metrics, layer) => expect(layerOf(metrics)).toBe(layer))

it('is nothing where nothing is triggered', () => {
  const decided = evaluate(lateRanks, {})
  expect(focusOf({ ...decided, findings: [] })).toBeNull()
})
