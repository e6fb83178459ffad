import type { CaseDocument } from '../analysis/caseDocument'
import { count, format } from '../format'
import { Missing } from '../ui/Missing'
import { Block, Facts, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type PartOf, textEvidence } from './textEvidence'

type Module = PartOf<'darshan_summary'>['summaries'][number]
type Total = NonNullable<Module['totals']>['counters'][number]

const FIRST = /^[A-Z0-9]+_((INDEP|COLL)_)?(BYTES_(READ|WRITTEN)|OPENS|READS|WRITES|F_(READ|WRITE|META)_TIME)$/

/** What darshan-parser prints of all records together: totals, the performance estimate, files by kind. */
export function DarshanTotals({ document }: { document: CaseDocument }) {
  const texts = textEvidence(document, 'darshan_summary')
  if (texts.length === 0) return null
  const modules = texts.flatMap(({ source, part }) => part.summaries.map((summary) => ({ source, summary })))
  return (
    <Kind
      id="darshan-totals"
      title="Darshan totals"
      says={modules
        .map(({ summary: { module, perf } }) =>
          [module ?? 'all modules', perf?.agg_perf_by_slowest && format(perf.agg_perf_by_slowest, 'B/s')]
            .filter(Boolean)
            .join(' '),
        )
        .join(', ')}
    >
      {modules.map(({ source, summary }) => (
        <ModuleBlock key={`${source}:${summary.lines.first}`} source={source} summary={summary} />
      ))}
    </Kind>
  )
}

function ModuleBlock({ source, summary }: { source: number; summary: Module }) {
  const { perf, totals, files } = summary
  const counters = totals?.counters ?? []
  const nonZero = counters.filter((c) => c.value !== 0)
  const first = nonZero.filter((c) => FIRST.test(c.name))
  return (
    <Block
      title={summary.module ?? 'All modules, of a Darshan 2 log'}
      about={<Place where={at(source, summary.lines.first, summary.lines.last)} />}
    >
      {perf && (
        <Facts
          facts={[
            perf.agg_perf_by_slowest !== null && {
              name: 'rate',
              value: `${format(perf.agg_perf_by_slowest, 'B/s')} by the slowest rank`,
            },
            perf.total_bytes !== null && { name: 'bytes', value: format(perf.total_bytes, 'B') },
            perf.agg_time_by_slowest_s !== null && {
              name: 'time',
              value: `${format(perf.agg_time_by_slowest_s, 's')} of the slowest rank`,
            },
            perf.unique_slowest_rank !== null &&
              !!perf.unique_slowest_s && {
                name: 'slowest rank',
                value: `${perf.unique_slowest_rank}, for files of one rank`,
              },
          ]}
        />
      )}
      <Rows
        caption={`Files of ${summary.module ?? 'the log'} by kind`}
        rows={files}
        keyOf={(kind) => kind.kind}
        columns={[
          { name: 'files', cell: (kind) => kind.kind.replaceAll('_', ' ') },
          { name: 'number', number: true, cell: (kind) => count(kind.files) },
          {
            name: 'bytes moved',
            number: true,
            cell: (kind) =>
              kind.total_bytes === null ? <Missing>not printed</Missing> : format(kind.total_bytes, 'B'),
          },
          { name: 'where', cell: (kind) => <Place where={at(source, kind.line)} /> },
        ]}
      />
      <Rows<Total>
        caption={`Totals of ${summary.module ?? 'the log'}`}
        rows={first}
        folded={nonZero.filter((c) => !FIRST.test(c.name) && c.value !== null)}
        foldedWords={['other counter that is not zero', 'other counters that are not zero']}
        keyOf={(counter) => counter.name}
        page={40}
        columns={[
          { name: 'total', cell: (counter) => <span className="mono">{counter.name}</span> },
          {
            name: 'value',
            number: true,
            cell: (counter) =>
              counter.value === null ? <Missing>not available</Missing> : String(counter.value),
          },
          { name: 'reads', number: true, cell: (counter) => inWords(counter) },
          { name: 'where', cell: (counter) => <Place where={at(source, counter.line)} /> },
        ]}
      />
      {counters.length === 0 && files.length === 0 && !perf && <p className="muted">Nothing but its name.</p>}
    </Block>
  )
}

function inWords({ name, value }: Total): string {
  if (value === null) return ''
  if (/_F_.*TIME$/.test(name)) return format(value, 's')
  if (/_BYTES_/.test(name)) return format(value, 'B')
  return count(value)
}
