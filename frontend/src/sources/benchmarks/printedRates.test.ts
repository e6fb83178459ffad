import { expect, it } from 'vitest'
import { oneStripe } from '../../fixtures/documents'
import { everyKind } from '../../fixtures/everyKind'
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
