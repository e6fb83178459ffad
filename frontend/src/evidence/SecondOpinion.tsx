import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Given } from '../api/queries'
import type { ComparedOpinion, DifferingValues, Opinion } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { asSentence, count, plural } from '../format'
import button from '../ui/Button.module.css'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import table from '../ui/Table.module.css'
import css from './Evidence.module.css'
import { secondOpinionQuery } from './queries'

/** What pydarshan reads in the same log, value by value: made when somebody asks, since it reads the log twice. */
export function SecondOpinion({ source }: { source: Given }) {
  const { caseId } = useCase()
  const [asked, setAsked] = useState(false)
  const query = useQuery({ ...secondOpinionQuery(caseId, source), enabled: asked })
  return (
    <section className={css.opinion} aria-labelledby="second-opinion">
      <h3 id="second-opinion">Second opinion</h3>
      <div role="status">
        {!asked ? (
          <p className="muted">
            pydarshan, Darshan's own reader, can read this log too, so that every value can be compared.
          </p>
        ) : query.error ? (
          <QueryProblem query={query} what="The second opinion" />
        ) : !query.data ? (
          <>
            <p className="muted">pydarshan reads the log …</p>
            <Skeleton height={60} />
          </>
        ) : (
          <OpinionText opinion={query.data} />
        )}
      </div>
      {!asked && (
        <button type="button" className={button.button} onClick={() => setAsked(true)}>
          Ask pydarshan
        </button>
      )}
    </section>
  )
}

/** What it came to. */
export function OpinionText({ opinion }: { opinion: Opinion }) {
  if (opinion.kind === 'compared') return <Compared opinion={opinion} />
  return (
    <>
      <p>There is no second opinion on this log.</p>
      <p className="muted">{opinion.reason}</p>
    </>
  )
}

function Compared({ opinion }: { opinion: ComparedOpinion }) {
  const { agreed, differing, pydarshan, differences, unlisted } = opinion
  if (differing === 0)
    return (
      <p>
        All {count(agreed)} values agree with pydarshan {pydarshan}.
      </p>
    )
  return (
    <>
      <p>
        {plural(agreed, 'value')} {agreed === 1 ? 'agrees' : 'agree'} with pydarshan {pydarshan},{' '}
        {count(differing)} {differing === 1 ? 'differs' : 'differ'}.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className={css.differences} tabIndex={0} aria-label="Values that differ">
        <table className={table.table} aria-label="Values that differ">
          <thead>
            <tr>
              <th scope="col">what differs</th>
              <th scope="col" className="num">
                values
              </th>
              <th scope="col">the first: here</th>
              <th scope="col">pydarshan</th>
              <th scope="col">why</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((one) => (
              <tr key={`${one.part} ${one.what} ${one.reason}`}>
                <th scope="row">
                  {one.what} <span className="muted small">{one.part}</span>
                  <First of={one} />
                </th>
                <td className="num">{count(one.values)}</td>
                <td className="mono">
                  <Side value={one.ours} />
                </td>
                <td className="mono">
                  <Side value={one.theirs} />
                </td>
                <td>
                  {one.reason
                    ? asSentence(one.reason)
                    : 'Not known. Please report it, with the log if you can.'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {unlisted > 0 && <p className="muted small">{plural(unlisted, 'more kind')} of values differ.</p>}
    </>
  )
}

/** Where the first of the values stands. */
function First({ of: { record, rank } }: { of: DifferingValues }) {
  if (record === null && rank === null) return null
  const at = [
    record !== null && `record ${record}`,
    rank !== null && (rank < 0 ? 'all ranks' : `rank ${rank}`),
  ]
  return <span className={css.at}> the first: {at.filter(Boolean).join(', ')}</span>
}

function Side({ value }: { value: DifferingValues['ours'] }) {
  return value === null ? <Missing>nothing</Missing> : String(value)
}
