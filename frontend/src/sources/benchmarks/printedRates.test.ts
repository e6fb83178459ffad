import { expect, it } from 'vitest'
import { oneStripe } from '../../fixtures/documents'
import { everyKind } from '../../fixtures/everyKind'
import { textEvidence } from '../textEvidence'
import { printedRates } from './printedRates'

it('are the highest that any benchmark printed of writing and of reading', () => {
  const found = printedRates(everyKind)
  expect(found.map(({ operation }) => operation)).toEqual(['write', 'read'])
  const printed = everyKind.texts.flatMap(({ part }) =>
    part.kind === 'benchmark_run' ? part.results.flatMap((one) => one.max_bytes_per_s ?? []) : [],
  )
  expect(Math.max(...found.map((one) => one.bytesPerSecond))).toBeGreaterThanOrEqual(Math.max(...printed))
})

it('are none where no benchmark says any', () => expect(printedRates(oneStripe)).toEqual([]))

it('know a checkpoint that is written from a check of what was written', () => {
  const called = (operation: 'write' | 'write-check', bytes: number) => ({
    ...everyKind,
    texts: textEvidence(everyKind, 'benchmark_run').map(({ part, ...at }) => ({
      ...at,
      part: {
        ...part,
        results: part.results.map((one) => ({
          ...one,
          operation,
          max_bytes_per_s: bytes,
          iterations: [],
        })),
      },
    })),
  })
  expect(printedRates(called('write checkpoint' as 'write', 2))).toMatchObject([
    { operation: 'write', bytesPerSecond: 2 },
  ])
  expect(printedRates(called('write-check', 2))).toEqual([])
})
