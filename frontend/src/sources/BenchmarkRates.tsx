import type { CaseDocument } from '../api/types'
import { count, format, plural } from '../format'
import { Block, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type PartOf, textEvidence } from './textEvidence'

type Run = PartOf<'benchmark_rates'>
type Rate = Run['rates'][number]

/** Runs of mdtest, IO500, fio, elbencho and DLIO: what the storage gave to each phase. No program is judged by it. */
export function BenchmarkRates({ document }: { document: CaseDocument }) {
  const runs = textEvidence(document, 'benchmark_rates')
  if (runs.length === 0) return null
  return (
    <Kind
      id="rates"
      title="Rates by phase"
      says={runs
        .slice(0, 3)
        .map(({ part }) => name(part))
        .join('; ')}
    >
      {runs.map(({ source, part }) => (
        <Block key={`${source}:${part.lines.first}`} title={name(part)}>
          <Rows<Rate>
            caption={`Rates of ${name(part)}`}
            rows={part.rates}
            keyOf={({ phase, line }) => `${line}:${phase}`}
            columns={[
              { name: 'phase', cell: ({ phase, valid }) => (valid ? phase : `${phase} (does not count)`) },
              { name: 'rate', number: true, cell: (rate) => said(rate.mean, rate.unit) },
              { name: 'highest', number: true, cell: (rate) => said(rate.maximum, rate.unit) },
              { name: 'lowest', number: true, cell: (rate) => said(rate.minimum, rate.unit) },
              {
                name: 'time',
                number: true,
                cell: ({ seconds }) => (seconds === null ? '' : format(seconds, 's')),
              },
              { name: 'where', cell: ({ line }) => <Place where={at(source, line)} /> },
            ]}
          />
        </Block>
      ))}
    </Kind>
  )
}

const name = (part: Run): string =>
  [
    `${part.tool}${part.version === null ? '' : ` ${part.version}`}`,
    part.nprocs !== null && plural(part.nprocs, 'rank'),
    part.nodes !== null && plural(part.nodes, 'node'),
    !part.complete && 'cut off',
  ]
    .filter(Boolean)
    .join(', ')

/** A rate in its unit; the IO500's score has none, and of DLIO's accelerators it is the share of the time. */
function said(value: number | null, unit: Rate['unit']): string {
  if (value === null) return ''
  if (unit === 'B/s' || unit === 'share') return format(value, unit)
  if (unit === 'samples/s') return `${value.toFixed(2)} samples/s`
  return unit === 'ops/s' ? `${count(Math.round(value))} operations/s` : value.toFixed(2)
}
