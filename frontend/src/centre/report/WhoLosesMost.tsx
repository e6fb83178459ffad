import { Link } from '@tanstack/react-router'
import { plural, unbroken } from '../../format'
import { DOT } from '../../ui/Dotted'
import { Missing } from '../../ui/Missing'
import { SeverityMark } from '../../ui/Severity'
import { atMost, Figure } from './cells'
import { cellsByName, type Row } from './cellsByName'
import css from './Report.module.css'
import { short } from './search'
import type { Section } from './types'

const FIRST = 6

/** Users and programs with a high finding: what it takes, since when, and when they were last written to. */
export function WhoLosesMost({ section }: { section: Section }) {
  // The sentence on top counts users. Of programs that name nobody it is not known whether one person runs them.
  const cell = cellsByName(section)
  const users = section.rows.map((row) => cell(row, 'user')).filter((user) => user !== null)
  const repeats = new Set(users).size < users.length
  return (
    <div>
      <div className={css.heading}>
        <h2>Who loses most?</h2>
        <p>by process-hours that findings of high severity take, with what follows from them</p>
      </div>
      {section.rows.length === 0 ? (
        <p className="muted">{section.none}</p>
      ) : (
        <>
          <ol className={css.need}>
            {section.rows.slice(0, FIRST).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the answer
              <Person key={at} cell={(title) => cell(row, title)} log={section.logs[at] ?? null} />
            ))}
          </ol>
          {section.rows.length > FIRST && (
            <p className="muted">
              {plural(section.rows.length - FIRST, 'more', 'more')} in the table below
              {repeats && '; who runs several programs stands there for each'}.
            </p>
          )}
        </>
      )}
    </div>
  )
}

function Person({ cell, log }: { cell: (title: string) => Row[number]; log: Section['logs'][number] }) {
  const [hours, saved, user, job] = ['process-hours', 'saves at most', 'user', 'job with most'].map(cell)
  const [jobs, days, contact, ticket] = ['jobs', 'days', 'last contact', 'ticket'].map(cell)
  const name = `${user === null ? 'nobody named' : `user ${user}`}${DOT}${cell('program') ?? 'no program named'}`
  const facts = [
    plural(Number(jobs), 'job') + (job === null || jobs === 1 ? '' : `, of which ${job} lost most`),
    days === 1 ? 'on no other day of these weeks' : `on ${Number(days)} days of these weeks`,
    ticket ? `ticket ${ticket}, ${cell('status')}` : 'no ticket',
    typeof contact === 'string' ? `last contact ${short(contact)}` : 'not contacted',
  ]
  return (
    <li>
      <SeverityMark mark="high" label />
      <span>
        {log ? (
          <Link to="/centre/$day/logs/$log" params={{ day: log.day, log: log.log }}>
            {name}
          </Link>
        ) : (
          name
        )}
        {DOT}
        {unbroken(String(cell('finding') ?? cell('rule')))}
      </span>
      <b>
        {typeof hours === 'number' ? (
          <Figure value={hours} unit="process-hours" />
        ) : (
          <Missing alone reason="No log of these says how long it took." />
        )}
      </b>
      <small>
        {facts.join(DOT)}
        {typeof saved === 'number' && (
          <>
            {DOT}a cure could save {atMost(saved, 'process-hours')}
          </>
        )}
      </small>
    </li>
  )
}
