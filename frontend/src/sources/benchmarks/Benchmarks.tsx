import type { CaseDocument } from '../../analysis/caseDocument'
import { count, exactly, format, plural } from '../../format'
import type { Column } from '../../ui/DataTable'
import { Missing } from '../../ui/Missing'
import { firstFew } from '../firstFew'
import { Block, Facts, Kind } from '../Kind'
import { Place } from '../Place'
import { Rows } from '../Rows'
import { at, type PartOf, textEvidence } from '../textEvidence'

type Run = PartOf<'benchmark_run'>
type Result = Run['results'][number]

/** Runs of IOR and benchio: what they were asked to do, and the bandwidth of each operation. */
export function Benchmarks({ document }: { document: CaseDocument }) {
  const runs = textEvidence(document, 'benchmark_run')
  if (runs.length === 0) return null
  return (
    <Kind id="benchmarks" title="Benchmark runs" says={firstFew(runs, ({ part }) => summary(part))}>
      {runs.map(({ source, part }) => (
        <RunBlock key={`${source}:${part.lines.first}`} source={source} part={part} />
      ))}
    </Kind>
  )
}

/** The highest bandwidth: as printed, else that of the best repetition. */
const best = (result: Result): number | null =>
  result.max_bytes_per_s ??
  result.iterations.reduce<number | null>(
    (most, { bytes_per_s: b }) => (b !== null && (most === null || b > most) ? b : most),
    null,
  )

function summary(part: Run): string {
  const operations = [...new Set(part.results.map((r) => r.operation))].flatMap((operation) => {
    const rates = part.results.filter((r) => r.operation === operation).flatMap((r) => best(r) ?? [])
    return rates.length > 0 ? [`${operation} ${format(Math.max(...rates), 'B/s')} at best`] : []
  })
  return [
    `${part.tool}${part.nprocs === null ? '' : `, ${plural(part.nprocs, 'rank')}`}`,
    ...operations,
  ].join(', ')
}

function pattern(part: Run): string | null {
  const access =
    part.access === 'single-shared-file'
      ? 'one shared file'
      : part.access === 'file-per-process'
        ? 'a file per rank'
        : null
  const calls = part.collective === null ? null : part.collective ? 'collective' : 'independent'
  const facts = [access, calls].filter(Boolean)
  return facts.length > 0 ? facts.join(', ') : null
}

function RunBlock({ source, part }: { source: number; part: Run }) {
  const line = (key: string) => {
    const setting = part.settings.find((s) => s.key.toLowerCase() === key)
    return setting && <Place where={at(source, setting.line)} />
  }
  const access = pattern(part)
  const spread: Column<Result>[] = part.results.some(
    (r) => r.mean_bytes_per_s !== null || r.min_bytes_per_s !== null,
  )
    ? [
        { name: 'mean', number: true, cell: (r) => rate(r.mean_bytes_per_s) },
        { name: 'lowest', number: true, cell: (r) => rate(r.min_bytes_per_s) },
      ]
    : []
  return (
    <Block
      title={[part.tool, part.version, part.api].filter(Boolean).join(' ')}
      about={
        <>
          {part.command_line && <span className="mono">{part.command_line}</span>}
          {!part.complete && ' its end was not seen'}{' '}
          <Place where={at(source, part.lines.first, part.lines.last)} />
        </>
      }
    >
      <Facts
        facts={[
          part.nprocs !== null && {
            name: 'ranks',
            value: `${count(part.nprocs)}${part.nodes === null ? '' : ` on ${plural(part.nodes, 'node')}`}`,
          },
          access !== null && { name: 'pattern', value: access },
          part.transfer_size_bytes !== null && {
            name: 'transfer size',
            value: exactly(part.transfer_size_bytes, 'B'),
            place: line('xfersize') ?? line('transfer size'),
          },
          part.block_size_bytes !== null && {
            name: 'block size',
            value: `${format(part.block_size_bytes, 'B')}${part.segments !== null && part.segments > 1 ? ` × ${part.segments} segments` : ''}`,
          },
          part.total_bytes !== null && { name: 'in all', value: format(part.total_bytes, 'B') },
          part.stripe_count !== null && {
            name: 'stripes',
            value: `${part.stripe_count}${part.stripe_size_bytes === null ? '' : ` × ${exactly(part.stripe_size_bytes, 'B')}`}`,
          },
          part.hints.length > 0 && {
            name: 'hints passed',
            value: part.hints
              .filter((hint) => hint.given === 'passed')
              .map((hint) => `${hint.name}=${hint.value}`)
              .join(', '),
          },
        ]}
      />
      <Rows<Result>
        caption={`Results of ${part.tool}`}
        rows={part.results}
        keyOf={(r) => [r.operation, r.layer, r.striping, r.file, r.line, r.iterations[0]?.line].join('|')}
        columns={[
          {
            name: 'operation',
            cell: (r) => (
              <>
                {r.operation}{' '}
                <span className="muted small">
                  {[r.layer, r.striping, part.results.length > 1 && r.file !== part.file && r.file]
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </>
            ),
          },
          { name: 'highest', number: true, cell: (r) => rate(best(r)) },
          ...spread,
          {
            name: 'repetitions',
            number: true,
            cell: (r) =>
              r.iterations.length > 0 ? count(r.iterations.length) : <Missing>not printed</Missing>,
          },
          {
            name: 'where',
            cell: (r) => {
              const stands = r.line ?? r.iterations[0]?.line
              return stands !== undefined && <Place where={at(source, stands)} />
            },
          },
        ]}
      />
    </Block>
  )
}

const rate = (value: number | null) =>
  value === null ? <Missing>not printed</Missing> : format(value, 'B/s')
