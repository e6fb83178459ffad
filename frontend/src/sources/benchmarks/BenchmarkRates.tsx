import type { CaseDocument } from '../../analysis/caseDocument'
import { count, format, plural } from '../../format'
import type { Column } from '../../ui/DataTable'
import { firstFew } from '../firstFew'
import { Block, Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import css from '../Sources.module.css'
import { at, type PartOf, textEvidence } from '../textEvidence'

type Run = PartOf<'benchmark_rates'>
type Rate = Run['rates'][number]

/** Runs of benchmarks with rates by phase: what the storage gave to each. No program is judged by it. */
export function BenchmarkRates({ document }: { document: CaseDocument }) {
  const runs = textEvidence(document, 'benchmark_rates')
  if (runs.length === 0) return null
  return (
    <Kind id="rates" title="Rates by phase" says={firstFew(runs, ({ part }) => name(part))}>
      {runs.map(({ source, part }) => (
        <Block key={`${source}:${part.lines.first}`} title={name(part)}>
          <Rows<Rate>
            caption={`Rates of ${name(part)}`}
            rows={part.rates}
            keyOf={({ phase, line }) => `${line}:${phase}`}
            columns={columns(source, part)}
          />
        </Block>
      ))}
    </Kind>
  )
}

function columns(source: number, { rates }: Run): Column<Rate>[] {
  const spread = rates.filter(({ maximum }) => maximum !== null)
  const all: (Column<Rate> & { readonly given: boolean })[] = [
    {
      name: 'phase',
      cell: ({ phase, valid }) => (valid ? phase : `${phase} (does not count)`),
      given: true,
    },
    {
      // Of one repetition all three are the same. The same as `iotriage.reports.text_evidence`.
      name: spread.some(({ maximum, mean }) => maximum !== mean) ? 'mean rate' : 'rate',
      number: true,
      cell: (rate) => rateText(rate.mean, rate.unit),
      given: true,
    },
    {
      name: 'of the fastest phase',
      cell: (rate) => <Bar share={ofFastest(rate, rates)} rate={rate} />,
      given: rates.some((rate) => COMPARED.includes(rate.unit)),
    },
    {
      name: 'highest',
      number: true,
      cell: (rate) => rateText(rate.maximum, rate.unit),
      given: spread.length > 0,
    },
    {
      name: 'lowest',
      number: true,
      cell: (rate) => rateText(rate.minimum, rate.unit),
      given: rates.some(({ minimum }) => minimum !== null),
    },
    {
      name: 'time',
      number: true,
      cell: ({ seconds }) => (seconds === null ? '' : format(seconds, 's')),
      given: rates.some(({ seconds }) => seconds !== null),
    },
    { name: 'where', cell: ({ line }) => <Place where={at(source, line)} />, given: true },
  ]
  return all.filter(({ given }) => given)
}

const COMPARED: readonly Rate['unit'][] = ['B/s', 'ops/s', 'samples/s']

/** A phase's rate as a share of the fastest phase with the same unit; null for scores and shares of time. */
function ofFastest({ phase, mean, unit }: Rate, rates: readonly Rate[]): number | null {
  if (mean === null || !COMPARED.includes(unit) || /score/.test(phase)) return null
  const fastest = Math.max(...rates.filter((rate) => rate.unit === unit).map((rate) => rate.mean ?? 0))
  return fastest > 0 ? mean / fastest : null
}

function Bar({ share, rate }: { share: number | null; rate: Rate }) {
  if (share === null) return null
  const kind = rate.unit === 'B/s' ? (/read/i.test(rate.phase) ? css.readBar : '') : css.metadataBar
  return (
    <span className={css.bar} aria-hidden="true">
      <i className={kind} style={{ width: `${100 * share}%` }} />
    </span>
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
function rateText(value: number | null, unit: Rate['unit']): string {
  if (value === null) return ''
  if (unit === 'B/s' || unit === 'share') return format(value, unit)
  if (unit === 'samples/s') return `${count(value)} samples/s`
  return unit === 'ops/s' ? `${count(value)} operations/s` : count(value)
}
