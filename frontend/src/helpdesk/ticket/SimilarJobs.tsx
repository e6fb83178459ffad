import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { count, moment, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { DOT } from '../../ui/Dotted'
import { SeverityMark } from '../../ui/Severity'
import { type SimilarJob, similarQuery } from '../queries'
import { speedupWords } from '../speedupWords'
import { TicketName, ticketName } from '../TicketName'
import css from './Ticket.module.css'

const SHOWN = 5

/** What jobs like this one were told to do, and what the next run showed. Those of the ticket itself stand among its runs. */
export function SimilarJobs({ caseId, ticket }: { caseId: string; ticket: number }) {
  const query = useQuery(similarQuery(caseId))
  const [all, setAll] = useState(false)
  if (!query.data) return null
  const others = query.data.filter((job) => job.ticket !== ticket)
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">Jobs like this one</h2>
      {others.length === 0 ? (
        <p className="small muted">None yet of this user, this program or this cause.</p>
      ) : (
        <ul className={css.similar}>
          {(all ? others : others.slice(0, SHOWN)).map((job) => (
            <li key={job.case}>
              <SeverityMark mark={job.severity ?? 'unknown'} label />
              <div>
                <Link to="/cases/$caseId" params={{ caseId: job.case }}>
                  {unbroken(job.headline ?? job.title)}
                </Link>
                <small>
                  {alikeIn(job)}
                  {DOT}
                  {moment(job.created_at)}
                  {job.ticket !== null && (
                    <>
                      {DOT}
                      <Link to="/tickets/$ticketId" params={{ ticketId: String(job.ticket) }}>
                        <TicketName>{ticketName(job.ticket, job.reference)}</TicketName>
                      </Link>
                    </>
                  )}
                </small>
                {job.advised && <small>Advice: {job.advised}</small>}
                {job.verdict && (
                  <small>
                    {job.verdict}
                    {job.factor !== null && `, ${speedupWords(job.factor, job.factor_most)}`}
                  </small>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {others.length > SHOWN && (
        <button type="button" className={button.link} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'fewer' : `${count(others.length - SHOWN)} more`}
        </button>
      )}
    </section>
  )
}

function alikeIn({ same_user, same_application, same_cause }: SimilarJob): string {
  const alike = [same_user && 'user', same_application && 'program', same_cause && 'cause'].filter(Boolean)
  return `same ${alike.join(', ')}`
}
