import { type CaseDocument, sourceName } from '../analysis/caseDocument'
import { asSentence, count, exactly, format, plural } from '../format'
import { Missing } from '../ui/Missing'
import { Block, Facts, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import css from './Sources.module.css'
import { at, type PartOf, textEvidence } from './textEvidence'

type Report = PartOf<'craypat'>
type Table = Report['io_tables'][number]
type Row = Table['rows'][number]

const MIB = 2 ** 20

/** A printed figure over all ranks: averages are printed per rank that did such a call. */
function summed(row: Row, printed: number | null): number | null {
  if (printed === null || row.aggregation !== 'average-per-rank') return printed
  return row.ranks === null ? null : printed * row.ranks
}

const bytesOf = (row: Row): number | null => {
  const mib = summed(row, row.printed_mib)
  return mib === null ? null : Math.round(mib * MIB)
}

/** What CrayPAT reports: the run, its files and ranks, where they lie on Lustre, and CrayPAT's own advice. */
export function CrayPat({ document }: { document: CaseDocument }) {
  const reports = textEvidence(document, 'craypat')
  if (reports.length === 0) return null
  return (
    <Kind id="craypat" title="CrayPAT" says={reports.map(({ part }) => summary(part)).join('; ')}>
      {reports.map(({ source, part }) => (
        <ReportBlock
          key={`${source}:${part.lines.first}`}
          source={source}
          part={part}
          name={sourceName(document, source)}
        />
      ))}
    </Kind>
  )
}

function summary(part: Report): string {
  const files = part.io_tables.flatMap((t) => t.rows.filter((r) => r.noise === null))
  return [
    part.version ? `CrayPat ${part.version}` : 'a pasted part of a report',
    part.ranks !== null && plural(part.ranks, 'rank'),
    part.io_tables.length === 0
      ? 'no I/O tables'
      : `${plural(new Set(files.map((r) => r.file)).size, 'file')}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function ReportBlock({ source, part, name }: { source: number; part: Report; name: string }) {
  const line = (key: string) => {
    const field = part.fields.find((f) => f.key === key)
    return field && <Place where={at(source, field.line)} />
  }
  const ranks = part.ranks !== null && {
    name: 'ranks',
    value: [
      count(part.ranks),
      part.nodes !== null && `on ${plural(part.nodes, 'node')}`,
      part.threads_per_rank !== null && part.threads_per_rank > 1 && `${part.threads_per_rank} threads each`,
    ]
      .filter(Boolean)
      .join(' '),
    place: line('Number of PEs (MPI ranks)'),
  }
  return (
    <Block
      title={name}
      about={
        <>
          {part.form === 'fragment' ? 'pasted without the header of its report' : 'a whole report'}
          {!part.complete && '; its end was not seen'}{' '}
          <Place where={at(source, part.lines.first, part.lines.last)} />
        </>
      }
    >
      <Facts
        facts={[
          part.version !== null && {
            name: 'version',
            value: `CrayPat ${part.version}`,
            place: line('CrayPat/X'),
          },
          part.experiment !== null && {
            name: 'experiment',
            value: part.experiment,
            place: line('Experiment'),
          },
          ranks,
          part.process_time_average_s !== null && {
            name: 'process time',
            value: `${format(part.process_time_average_s, 's')}, mean of the ranks`,
            place: part.process_time_line !== null && <Place where={at(source, part.process_time_line)} />,
          },
          part.executable !== null && {
            name: 'program',
            value: <span className="mono">{part.executable}</span>,
            place: line('Execute'),
          },
          part.start_time_local !== null && {
            name: 'started',
            value: `${part.start_time_local.replace('T', ' ')}${part.host ? ` on ${part.host}` : ''}, its local time`,
          },
        ]}
      />
      {part.io_tables_absent && <p className={css.note}>{asSentence(part.io_tables_absent)}</p>}
      {part.io_tables.map((table) => (
        <IoTable key={table.lines.first} source={source} table={table} />
      ))}
      <Lustre source={source} part={part} />
      <Profile source={source} part={part} />
      {part.observations.map((observation) => (
        <p className={css.note} key={observation.lines.first}>
          <b>{observation.title}</b> {observation.text}{' '}
          <Place where={at(source, observation.lines.first, observation.lines.last)} />
        </p>
      ))}
    </Block>
  )
}

function IoTable({ source, table }: { source: number; table: Table }) {
  const words = table.direction === 'write' ? 'written' : 'read'
  return (
    <>
      <p className={css.note}>
        <b>Files {words}</b>
        {table.aggregation === 'average-per-rank' &&
          '; the report prints means of the ranks, multiplied here by their number'}
        {(table.limited || !table.complete) && '; files may be missing'}.{' '}
        <Place where={at(source, table.lines.first, table.lines.last)} />
      </p>
      <Rows<Row>
        caption={`${table.title}: files ${words}`}
        rows={table.rows.filter((row) => row.noise === null)}
        folded={table.rows.filter((row) => row.noise !== null)}
        foldedWords={['row that is no file of the program', 'rows that are no files of the program']}
        keyOf={(row) => String(row.line)}
        columns={[
          {
            name: 'file',
            cell: (row) => (
              <>
                <span className="mono">{row.file ?? 'all files'}</span>
                {row.noise && <span className="muted small"> {row.noise.replace('-', ' ')}</span>}
              </>
            ),
          },
          { name: words, number: true, cell: (row) => <Figure value={bytesOf(row)} unit="B" /> },
          {
            name: 'calls',
            number: true,
            cell: (row) => <Figure value={summed(row, row.printed_calls)} unit="1" />,
          },
          {
            name: 'time, all ranks',
            title: 'seconds in such calls, added over the ranks: not elapsed time',
            number: true,
            cell: (row) => <Figure value={summed(row, row.printed_time_s)} unit="s" />,
          },
          {
            name: "MiB/s of one rank's stream",
            title: "bytes over the ranks' own time in calls: not the job's bandwidth",
            number: true,
            cell: (row) =>
              row.rate_per_rank_stream_mib_s === null ? (
                <Missing>not printed</Missing>
              ) : (
                count(row.rate_per_rank_stream_mib_s)
              ),
          },
          { name: 'ranks', number: true, cell: (row) => <Figure value={row.ranks} unit="1" /> },
          { name: 'where', cell: (row) => <Place where={at(source, row.line)} /> },
        ]}
      />
      <RankBars source={source} table={table} />
    </>
  )
}

function Figure({ value, unit }: { value: number | null; unit: 'B' | 's' | '1' }) {
  if (value === null) return <Missing>not printed</Missing>
  return unit === '1' ? count(Math.round(value)) : format(value, unit)
}

/** Rows of single ranks as bars of their bytes, file by file. */
function RankBars({ source, table }: { source: number; table: Table }) {
  const rows = table.rank_rows.filter((row) => row.noise === null && row.rank !== null)
  if (rows.length === 0) return null
  const most = Math.max(...rows.map((row) => row.printed_mib ?? 0)) || 1
  const which =
    table.rank_selection === 'ALL' || table.rank_selection === null ? '' : `, as CrayPAT chose them`
  return (
    <>
      <p className={css.note}>
        <b>Ranks</b>
        {which}: bytes each {table.direction === 'write' ? 'wrote' : 'read'}.
      </p>
      <Rows<Row>
        caption={`Ranks of ${table.title}`}
        rows={rows}
        keyOf={(row) => String(row.line)}
        page={16}
        columns={[
          {
            name: 'rank',
            cell: (row) => (
              <>
                {row.rank} <span className="muted small mono">{row.file}</span>
              </>
            ),
          },
          {
            name: table.direction === 'write' ? 'written' : 'read',
            cell: (row) => (
              <>
                <span className={css.bar} aria-hidden="true">
                  <i
                    className={table.direction === 'read' ? css.readBar : ''}
                    style={{ width: `${(100 * (row.printed_mib ?? 0)) / most}%` }}
                  />
                </span>
                <Figure value={bytesOf(row)} unit="B" />
              </>
            ),
          },
          { name: 'time', number: true, cell: (row) => <Figure value={row.printed_time_s} unit="s" /> },
          { name: 'calls', number: true, cell: (row) => <Figure value={row.printed_calls} unit="1" /> },
          { name: 'where', cell: (row) => <Place where={at(source, row.line)} /> },
        ]}
      />
    </>
  )
}

function Lustre({ source, part }: { source: number; part: Report }) {
  if (part.lustre.length === 0) return null
  return (
    <>
      <p className={css.note}>
        <b>On Lustre</b>
      </p>
      <Rows
        caption="Lustre file information of CrayPAT"
        rows={part.lustre}
        keyOf={(file) => String(file.line)}
        columns={[
          { name: 'file', cell: (file) => <span className="mono">{file.path}</span> },
          {
            name: 'stripes',
            number: true,
            cell: (file) => <Figure value={file.stripe_count} unit="1" />,
          },
          {
            name: 'stripe size',
            number: true,
            cell: ({ stripe_size_bytes: size }) =>
              size === null ? <Missing>not printed</Missing> : exactly(size, 'B'),
          },
          { name: 'OSTs', cell: (file) => file.osts.join(', ') || file.ost_text },
          { name: 'where', cell: (file) => <Place where={at(source, file.line)} /> },
        ]}
      />
    </>
  )
}

function Profile({ source, part }: { source: number; part: Report }) {
  if (part.profile.length === 0) return null
  return (
    <Rows
      caption="Profile of CrayPAT: groups, and functions that do I/O"
      rows={[]}
      folded={part.profile}
      foldedWords={['row of the profile', 'rows of the profile']}
      keyOf={(row) => String(row.line)}
      columns={[
        {
          name: 'group or function',
          cell: (row) => <span className="mono">{row.function ?? row.group}</span>,
        },
        {
          name: 'share of the program',
          number: true,
          cell: (row) =>
            row.percent === null ? <Missing>not printed</Missing> : format(row.percent / 100, 'share'),
        },
        {
          name: 'mean of the ranks',
          number: true,
          cell: (row) =>
            row.time_s !== null
              ? format(row.time_s, 's')
              : row.samples !== null && `${count(row.samples)} samples`,
        },
        { name: 'where', cell: (row) => <Place where={at(source, row.line)} /> },
      ]}
    />
  )
}
