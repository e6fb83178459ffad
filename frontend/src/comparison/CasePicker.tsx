import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useDeferredValue, useState } from 'react'
import { casesQuery } from '../api/queries'
import type { CaseSummary } from '../api/types'
import { baseName, moment, plural, unbroken } from '../format'
import button from '../ui/Button.module.css'
import { DOT } from '../ui/Dotted'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import section from '../ui/Section.module.css'
import css from './CasePicker.module.css'
import { MOST_CASES } from './search'

const MOST = 200
const LETTERS = 'ABCDEFGHIJKLMNOP'

/** The cases to choose from. The order in which they are chosen is the order of the comparison. */
export function CasePicker({
  chosen,
  onToggle,
}: {
  chosen: readonly string[]
  onToggle: (id: string) => void
}) {
  const query = useQuery(casesQuery(MOST, 0))
  const [words, setWords] = useState('')
  // Letters are shown before the list follows them.
  const wanted = useDeferredValue(words).toLowerCase()
  const ready = query.data?.cases.filter((row) => row.status === 'ready') ?? []
  const place = (row: CaseSummary) => chosen.indexOf(row.id)
  // What was chosen when the list was opened stands first, whatever is looked for, then other runs of the program of the first;
  // what is chosen in it stays where it is.
  const [first] = useState(chosen)
  const [of] = ready.filter((row) => row.id === first[0])
  const alike = (row: CaseSummary) => of !== undefined && programOf(row) === programOf(of)
  const rank = (row: CaseSummary) =>
    first.includes(row.id) ? first.indexOf(row.id) : first.length + (alike(row) ? 0 : 1)
  const found = ready.filter((row) => textOf(row).toLowerCase().includes(wanted))
  const shown = ready
    .filter((row) => place(row) >= 0 || found.includes(row))
    .sort((a, b) => rank(a) - rank(b))
  return (
    <section aria-labelledby="choose">
      <div className={section.row}>
        <h2 id="choose">Choose the runs</h2>
        <p>
          the others are compared with the first; at most {MOST_CASES}
          {of !== undefined && ready.some((row) => row !== of && alike(row)) && (
            <>
              {'; '}runs of <span className="mono">{programOf(of)}</span> stand before those of other programs
            </>
          )}
        </p>
        <input
          type="search"
          className={`${button.field} ${section.end}`}
          placeholder="job, program or words"
          aria-label="Filter cases"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {query.isPending ? (
        <Skeleton height={240} />
      ) : query.error ? (
        <QueryProblem query={query} what="The list of cases" />
      ) : ready.length === 0 ? (
        <p className="muted">
          There is no case yet. <Link to="/">Give the logs of two runs</Link> first.
        </p>
      ) : (
        <>
          {shown.length > 0 && (
            <ul className={css.cases}>
              {shown.map((row) => (
                <Choice
                  key={row.id}
                  row={row}
                  place={place(row)}
                  full={chosen.length >= MOST_CASES}
                  onToggle={onToggle}
                />
              ))}
            </ul>
          )}
          {found.length === 0 && (
            <p className="muted">No case has “{words}” in its job, program or sentence.</p>
          )}
        </>
      )}
    </section>
  )
}

/** What ran, by which runs are worth comparing; a case of texts alone has its name. */
const programOf = (row: CaseSummary): string =>
  row.executable === null ? row.title : baseName(row.executable)

const textOf = (row: CaseSummary) =>
  [row.title, row.job_id, row.executable, row.headline].filter(Boolean).join(' ')

const Choice = memo(function Choice({
  row,
  place,
  full,
  onToggle,
}: {
  row: CaseSummary
  place: number
  full: boolean
  onToggle: (id: string) => void
}) {
  const about = [
    row.job_id && `job ${row.job_id}`,
    row.nprocs !== null && plural(row.nprocs, 'rank'),
    row.sample ? 'sample' : moment(row.created_at),
  ].filter(Boolean)
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={place >= 0}
          disabled={place < 0 && full}
          onChange={() => onToggle(row.id)}
        />
        <span className={css.place} aria-hidden="true">
          {place >= 0 ? LETTERS[place] : ''}
        </span>
        <span className={css.title}>{row.title}</span>
        <span className={css.says}>{row.headline && unbroken(row.headline)}</span>
        <span className={css.about}>{about.join(DOT)}</span>
      </label>
    </li>
  )
})
