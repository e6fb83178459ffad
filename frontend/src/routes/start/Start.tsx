import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { casesQuery, infoQuery, samplesQuery } from '../api/queries'
import type { CaseSummary, SampleView } from '../api/types'
import { createCase, type Sent } from '../api/upload'
import { type CompareSearch, idsOf, toggled } from '../comparison/search'
import { count, moment, plural } from '../format'
import button from '../ui/Button.module.css'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { Num } from '../ui/Num'
import { QueryProblem } from '../ui/QueryProblem'
import section from '../ui/Section.module.css'
import { type Mark, SeverityMark, SeverityWord } from '../ui/Severity'
import shell from '../ui/Shell.module.css'
import table from '../ui/Table.module.css'
import { Upload } from '../upload/Upload'
import css from './Start.module.css'

const PAGE = 8
/** The server gives at most this many at a time. */
const MOST = 200

export function Start() {
  const info = useQuery(infoQuery)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [site, setSite] = useState('')
  const siteId = useId()
  const finish = async (sent: readonly Sent[]) => {
    const caseId = await createCase(sent, site === '' ? null : site)
    client.invalidateQueries({ queryKey: ['cases'] })
    await navigate({ to: '/cases/$caseId', params: { caseId } })
  }
  return (
    <div className={shell.wrap}>
      <title>Cases · IOtriage</title>
      <h1>What is wrong with this job’s I/O?</h1>
      <p className={shell.lead}>
        Give the logs the job left behind. You get the cause in a sentence, the command that fixes it, and the
        document that says so.
      </p>
      <Upload limit={info.data?.upload_limit_bytes ?? null} finish={finish} />
      <p className={css.safe}>
        <label htmlFor={siteId}>
          Site
          <select
            className={button.select}
            id={siteId}
            value={site}
            onChange={(event) => setSite(event.target.value)}
          >
            <option value="">as the logs tell</option>
            {info.data?.sites.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <span>Logs stay on this server</span>
        <span>
          No log at hand? Load the <span className="mono">darshan</span> module before the job, or set{' '}
          <span className="mono">MPICH_MPIIO_STATS=1</span> in its script
        </span>
      </p>
      <RecentCases />
      <Samples />
    </div>
  )
}

function RecentCases() {
  const [offset, setOffset] = useState(0)
  const query = useQuery(casesQuery(MOST, 0))
  // Samples are cases too; they stand below.
  const own = query.data?.cases.filter((row) => !row.sample) ?? []
  const shown = own.slice(offset, offset + PAGE)
  return (
    <section aria-labelledby="recent">
      <div className={section.row}>
        <h2 id="recent">Recent cases</h2>
        {own.length > 0 && (
          <p>
            {own.length > PAGE
              ? `${offset + 1} to ${offset + shown.length} of ${count(own.length)}`
              : plural(own.length, 'case')}
          </p>
        )}
      </div>
      {query.isPending ? (
        <Skeleton height={60} />
      ) : query.error ? (
        <QueryProblem query={query} what="The list of cases" />
      ) : shown.length > 0 ? (
        <CaseTable cases={shown} />
      ) : (
        <p className="muted">None yet: the first log you give makes the first case.</p>
      )}
      {own.length > PAGE && (
        <div className={css.pages}>
          <button
            type="button"
            className={button.button}
            disabled={offset === 0}
            onClick={() => setOffset(offset - PAGE)}
          >
            Newer
          </button>
          <button
            type="button"
            className={button.button}
            disabled={offset + PAGE >= own.length}
            onClick={() => setOffset(offset + PAGE)}
          >
            Older
          </button>
        </div>
      )}
    </section>
  )
}

function CaseTable({ cases }: { cases: readonly CaseSummary[] }) {
  const [chosen, setChosen] = useState<CompareSearch>({})
  const ids = idsOf(chosen)
  return (
    <>
      <CaseRows cases={cases} chosen={ids} onChoose={(id) => setChosen((old) => toggled(old, id))} />
      {ids.length > 0 && (
        <p className={css.pages}>
          <Link className={button.main} to="/compare" search={chosen}>
            {ids.length === 1 ? 'Compare it with others' : `Compare these ${count(ids.length)}`}
          </Link>
          the first chosen is what the others are held against
        </p>
      )}
    </>
  )
}

function CaseRows({
  cases,
  chosen,
  onChoose,
}: {
  cases: readonly CaseSummary[]
  chosen: readonly string[]
  onChoose: (id: string) => void
}) {
  return (
    <div className="scroll">
      <table className={`${table.table} ${css.cases}`}>
        <thead>
          <tr>
            <th scope="col" style={{ width: 120 }}>
              severity
            </th>
            <th scope="col">job</th>
            <th scope="col">what it says</th>
            <th scope="col" className="num">
              ranks
            </th>
            <th scope="col" className="num">
              in I/O
            </th>
            <th scope="col" className="num">
              of the run
            </th>
            <th scope="col" className="num">
              added
            </th>
          </tr>
        </thead>
        <tbody>
          {cases.map((row) => (
            <tr key={row.id}>
              <td className="nowrap">
                <input
                  type="checkbox"
                  className={css.choose}
                  aria-label={`Compare ${row.job_id ?? row.title}`}
                  checked={chosen.includes(row.id)}
                  disabled={row.status !== 'ready'}
                  onChange={() => onChoose(row.id)}
                />
                <Graded mark={gradeOf(row)} />
              </td>
              <td className="nowrap">
                <Link to="/cases/$caseId" params={{ caseId: row.id }}>
                  {row.job_id ?? row.title}
                </Link>{' '}
                {row.executable && <span className="mono muted">{row.executable.split('/').at(-1)}</span>}
              </td>
              <td className={css.says}>{sentenceOf(row)}</td>
              <td className="num">{row.nprocs === null ? <Missing> </Missing> : count(row.nprocs)}</td>
              <td className="num">
                {row.io_time_s === null ? <Missing> </Missing> : <Num value={row.io_time_s} unit="s" />}
              </td>
              <td className="num">
                {row.io_time_fraction === null ? (
                  <Missing> </Missing>
                ) : (
                  <Num value={row.io_time_fraction} unit="share" />
                )}
              </td>
              <td className="num muted">{moment(row.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const gradeOf = (row: CaseSummary): Mark => (row.status === 'failed' ? 'error' : (row.severity ?? 'unknown'))

function sentenceOf(row: CaseSummary): string {
  if (row.headline) return row.headline
  return row.status === 'reading' ? 'Being read.' : 'None of its sources could be read.'
}

function Graded({ mark }: { mark: Mark }) {
  return (
    <>
      <SeverityMark mark={mark} /> <SeverityWord mark={mark} />
    </>
  )
}

function Samples() {
  const query = useQuery(samplesQuery)
  return (
    <section aria-labelledby="samples">
      <div className={section.row}>
        <h2 id="samples">Samples</h2>
        <p>real logs of this project’s own programs, each with the sentence it gets</p>
      </div>
      {query.isPending ? (
        <Skeleton height={240} />
      ) : query.error ? (
        <QueryProblem query={query} what="The samples" />
      ) : (
        <SampleList samples={query.data} />
      )}
    </section>
  )
}

const FIRST = 12

function SampleList({ samples }: { samples: readonly SampleView[] }) {
  const [all, setAll] = useState(false)
  if (samples.length === 0) return <p className="muted">This server was started without samples.</p>
  const shown = all ? samples : samples.slice(0, FIRST)
  return (
    <>
      <div className={css.samples}>
        {shown.map((sample) => (
          <SampleLink key={sample.id} sample={sample} />
        ))}
      </div>
      {!all && samples.length > FIRST && (
        <div className={css.pages}>
          <button type="button" className={button.button} onClick={() => setAll(true)}>
            All {count(samples.length)} samples
          </button>
        </div>
      )}
    </>
  )
}

function SampleLink({ sample }: { sample: SampleView }) {
  const reading = sample.status === 'reading'
  return (
    <Link to="/cases/$caseId" params={{ caseId: sample.id }}>
      <span>
        <SeverityMark mark={sample.severity ?? 'unknown'} label />
      </span>
      <b>{sample.headline ?? (reading ? 'Being read.' : sample.title)}</b>
      <small>
        {sample.title}
        {sample.nprocs !== null && ` · ${plural(sample.nprocs, 'rank')}`}
      </small>
      <small>{sample.evidence.join(', ')}</small>
    </Link>
  )
}
