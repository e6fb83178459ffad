import type { CaseDocument } from '../../analysis/caseDocument'
import { textEvidence } from '../textEvidence'

/** The highest rate of an operation that a benchmark printed. */
export interface PrintedRate {
  readonly operation: string
  readonly tool: string
  readonly bytesPerSecond: number
}

/** Of the benchmarks whose results a case has, the highest rate that each printed of writing and of reading. */
export function printedRates(document: CaseDocument): readonly PrintedRate[] {
  const all = [
    ...textEvidence(document, 'benchmark_run').flatMap(({ part: { tool, results } }) =>
      results.flatMap(({ operation, max_bytes_per_s, iterations }) =>
        [max_bytes_per_s, ...iterations.map((one) => one.bytes_per_s)].map((rate) => ({
          tool,
          operation,
          rate,
        })),
      ),
    ),
    ...textEvidence(document, 'benchmark_rates').flatMap(({ part: { tool, rates } }) =>
      rates
        .filter(({ unit }) => unit === 'B/s')
        .map(({ phase, maximum, mean }) => ({ tool, operation: phase, rate: maximum ?? mean })),
    ),
  ]
  return (['write', 'read'] as const).flatMap((operation) => {
    const found = all.flatMap(({ tool, operation: other, rate }) =>
      rate !== null && other.toLowerCase().includes(operation) && !other.endsWith('-check')
        ? [{ operation, tool, bytesPerSecond: rate }]
        : [],
    )
    const [first, ...rest] = found
    return first
      ? [rest.reduce((best, one) => (one.bytesPerSecond > best.bytesPerSecond ? one : best), first)]
      : []
  })
}
