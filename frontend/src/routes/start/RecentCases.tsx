import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { casesQuery } from '../../api/queries'
import type { CaseSummary } from '../../api/types'
import { type CompareSearch, idsOf, toggled } from '../../comparison/search'
import { baseName, count, moment, plural, unbroken } from '../../format'
import { BothEnds } from '../../ui/BothEnds'
import button from '../../ui/Button.module.css'
import { Missing } from '../../ui/Missing'
import { Skeleton } from '../../ui/Notice'
import { Num } from '../../ui/Num'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import section from '../../ui/Section.module.css'
import { type Mark, SeverityMark, SeverityWord } from '../../ui/Severity'
import table from '../../ui/Table.module.css'
import { TypedField } from '../../ui/typed/TypedField'
import { MOST, recentQuery } from './queries'
import css from './Start.module.css'
import { givenAgain, LEAST, type Least, listed, type Order, type StartSearch } from './search'

const PAGE = 20
const route = getRouteApi('/')

/** The cases that people gave, to find one, to see which is worst, and to choose those to compare. */
export default function RecentCases() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/' })
  const [offset, setOffset] = useState(0)
  const [chosen, setChosen] = useState<CompareSearch>({})
  const query = useQuery(recentQuery)
  // Samples are cases too; they stand below.
  const own = query.data?.cases.filter((row) => !row.sample) ?? []
  // By files, rules, paths and nodes the server finds: the list does not have their words.
  const within = useQuery({ ...casesQuery(MOST, 0, search.q), enabled: search.q !== undefined })
  const among = search.q === undefined || within.isPlaceholderData ? [] : (within.data?.cases ?? [])
  const found = listed(own, search, new Set(among.map(({ id }) => id)))
  const again = givenAgain(own)
  const from = offset < found.length ? offset : 0
  const shown = found.slice(from, from + PAGE)
  const choose = ({ q, order, least }: Chosen) => {
    setOffset(0)
    const next: StartSearch = {
      ...(q !== '' && { q }),
      ...(order !== 'newest' && { order }),
      ...(least !== 'any' && { least }),
    }
    navigate({ search: next, replace: true, resetScroll: false })
  }
  return (
    <section aria-labelledby="recent">
      <div className={section.row}>
        <h2 id="recent">Recent cases</h2>
        {own.length > 0 && (
          <p role="status">
            {summary(found.length, own.length, from, shown.length)}
            {(query.data?.total ?? 0) > MOST && `, of the newest ${count(MOST)}`}
          </p>
        )}
        {own.length > 1 && <Find search={search} onChange={choose} />}
      </div>
      {query.isPending ? (
        <Skeleton height={60} />
      ) : query.error ? (
        <QueryProblem query={query} what="The list of cases" />
      ) : shown.length > 0 ? (
        <CaseRows
          cases={shown}
          again={again}
          chosen={idsOf(chosen)}
          onChoose={(id) => setChosen((old) => toggled(old, id))}
        />
      ) : own.length > 0 ? (
        <p className="muted">
          No case{search.least && ` of severity ${search.least} or worse`}
          {search.q
            ? ` has “${search.q}” in its job, program, sentence, findings, files or nodes`
            : ' is here'}
          .
        </p>
      ) : (
        <p className="muted">None yet: the first log you give makes the first case.</p>
      )}
      {found.length > PAGE && (
        <div className={css.pages}>
          <button
            type="button"
            className={button.button}
            disabled={from === 0}
            onClick={() => setOffset(from - PAGE)}
          >
            Previous
          </button>
          <button
            type="button"
            className={button.button}
            disabled={from + PAGE >= found.length}
            onClick={() => setOffset(from + PAGE)}
          >
            Next
          </button>
        </div>
      )}
      <ToCompare chosen={chosen} />
    </section>
  )
}

function summary(found: number, all: number, from: number, shown: number): string {
  const of = found === all ? plural(all, 'case') : `${count(found)} of ${plural(all, 'case')}`
  return found > PAGE ? `${from + 1} to ${from + shown} of ${of}` : of
}

interface Chosen {
  readonly q: string
  readonly order: Order | 'newest'
  readonly least: Least | 'any'
}

function Find({ search, onChange }: { search: StartSearch; onChange: (next: Chosen) => void }) {
  const now: Chosen = { q: search.q ?? '', order: search.order ?? 'newest', least: search.least ?? 'any' }
  return (
    <div className={`${css.find} ${section.end}`}>
      <TypedField
        label="Find cases by job, program, sentence, severity, rule, file or node"
        placeholder="job, file, rule, node or words"
        value={now.q}
        onRest={(q) => onChange({ ...now, q })}
      />
      <select
        className={button.select}
        aria-label="Severity of the cases"
        value={now.least}
        onChange={({ target }) =>
          onChange({ ...now, least: LEAST.find((grade) => grade === target.value) ?? 'any' })
        }
      >
        <option value="any">any severity</option>
        <option value="high">high</option>
        <option value="medium">medium or worse</option>
        <option value="low">low or worse</option>
      </select>
      <select
        className={button.select}
        aria-label="Order of the cases"
        value={now.order}
        onChange={({ target }) => onChange({ ...now, order: orderOf(target.value) })}
      >
        <option value="newest">newest first</option>
        <option value="severity">worst first</option>
        <option value="time">most time in I/O first</option>
      </select>
    </div>
  )
}

const orderOf = (value: string): Order | 'newest' =>
  value === 'severity' || value === 'time' ? value : 'newest'

function ToCompare({ chosen }: { chosen: CompareSearch }) {
  const { length } = idsOf(chosen)
  if (length === 0) return null
  return (
    <p className={css.pages}>
      <Link className={button.main} to="/compare" search={chosen}>
        {length === 1 ? 'Compare it with others' : `Compare these ${count(length)}`}
      </Link>
      the others are compared with the first that is chosen
    </p>
  )
}

function CaseRows({
  cases,
  again,
  chosen,
  onChoose,
}: {
  cases: readonly CaseSummary[]
  /** The newest case of the same sources, of those that were given again. */
  again: ReadonlyMap<string, CaseSummary>
  chosen: readonly string[]
  onChoose: (id: string) => void
}) {
  return (
    <Scroll label="Recent cases">
      <table className={`${table.table} ${css.cases}`}>
        <caption className="vh">Recent cases</caption>
        <thead>
          <tr>
            <th scope="col">compare</th>
            <th scope="col">severity</th>
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
              <td>
                <input
                  type="checkbox"
                  className={css.choose}
                  aria-label={`Compare ${row.job_id ?? row.title}`}
                  checked={chosen.includes(row.id)}
                  disabled={row.status !== 'ready'}
                  onChange={() => onChoose(row.id)}
                />
              </td>
              <td className="nowrap">
                <Graded mark={gradeOf(row)} />
              </td>
              <td className={css.of} title={row.job_id ?? row.title}>
                <div>
                  <Link to="/cases/$caseId" params={{ caseId: row.id }}>
                    <BothEnds name={row.job_id ?? row.title} />
                  </Link>{' '}
                  {row.executable && baseName(row.executable) !== (row.job_id ?? row.title) && (
                    <span className="mono muted" title={row.executable}>
                      <BothEnds name={baseName(row.executable)} />
                    </span>
                  )}
                </div>
              </td>
              <td className={css.says}>{sentenceOf(row)}</td>
              <td className="num">{row.nprocs === null ? <Missing alone /> : count(row.nprocs)}</td>
              <td className="num">
                {row.io_time_bound && <small className="muted">{row.io_time_bound} </small>}
                {row.io_time_s === null ? <Missing alone /> : <Num value={row.io_time_s} unit="s" />}
              </td>
              <td className="num">
                {row.io_time_fraction === null ? (
                  <Missing alone />
                ) : (
                  <>
                    {/* The share is of that time: no surer than it is. */}
                    {row.io_time_bound === 'at most' && '≤ '}
                    {row.io_time_bound === 'at least' && '≥ '}
                    <Num value={row.io_time_fraction} unit="share" />
                  </>
                )}
              </td>
              <td className={`num muted ${css.added}`}>
                {moment(row.created_at)}
                <Again newest={again.get(row.id)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const Again = ({ newest }: { newest: CaseSummary | undefined }) =>
  newest && (
    <small className={css.again}>
      again{' '}
      <Link to="/cases/$caseId" params={{ caseId: newest.id }} title="The newest case of the same files">
        {moment(newest.created_at)}
      </Link>
    </small>
  )

const gradeOf = (row: CaseSummary): Mark =>
  row.status === 'failed' ? 'error' : row.status === 'reading' ? 'reading' : (row.severity ?? 'unknown')

function sentenceOf(row: CaseSummary): string {
  if (row.headline) return unbroken(row.headline)
  return row.status === 'reading' ? 'Being read.' : 'No diagnosis: open it to see why.'
}

function Graded({ mark }: { mark: Mark }) {
  return (
    <>
      <SeverityMark mark={mark} /> <SeverityWord mark={mark} />
    </>
  )
}
