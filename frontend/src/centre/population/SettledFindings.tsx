import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { rulesQuery } from '../../api/queries'
import { count, format, plural } from '../../format'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import tables from '../../ui/Table.module.css'
import { useDebounced } from '../../ui/typed/useDebounced'
import css from './Population.module.css'
import { type Asked, type Settled, settledQuery } from './queries'

/** A drag passes many numbers; findings are settled for the one that it rests at. */
const RESTS_MS = 400

/** What becomes of all findings of the days with another number: the rule's own, and those that change beside them. */
export function SettledFindings({ asked, value }: { asked: Asked; value: number }) {
  const rested = useDebounced(value, RESTS_MS)
  const settled = useQuery(settledQuery(asked, rested))
  return (
    <section aria-label="All findings, settled again" aria-busy={settled.isFetching}>
      <h3>What becomes of all findings</h3>
      {settled.error && <QueryProblem query={settled} what="What becomes of all findings" />}
      {settled.isPending && <Skeleton height={120} />}
      {settled.data && <Rules settled={settled.data} />}
    </section>
  )
}

function Rules({ settled }: { settled: Settled }) {
  const rules = useQuery(rulesQuery)
  const title = (id: string) => rules.data?.find((rule) => rule.id === id)?.title ?? id
  return (
    <>
      <p className={css.note}>
        {settled.logs === 0
          ? 'With this number, every log keeps the findings that it has.'
          : `${plural(settled.logs, 'log')} settled again; of ${count(settled.led_by_another)} another finding is the first.`}
        {settled.unjudged.length > 0 &&
          ` ${plural(settled.unjudged.length, 'day')} left out, from ${settled.unjudged[0]}: the next iotriage ingest judges them by the rules of today.`}
      </p>
      {settled.rules.length > 0 && (
        <Scroll label="Findings by rule">
          <table className={tables.table}>
            <caption className="vh">Findings by rule, with the numbers in force and with this one</caption>
            <thead>
              <tr>
                <th scope="col">finding</th>
                <th scope="col" className="num">
                  not explained by another
                </th>
                <th scope="col" className="num">
                  high
                </th>
                <th scope="col" className="num">
                  medium
                </th>
                <th scope="col" className="num">
                  low
                </th>
                <th scope="col" className="num">
                  first of its log
                </th>
                <th scope="col" className="num">
                  time of jobs
                </th>
              </tr>
            </thead>
            <tbody>
              {settled.rules.map(({ rule, in_force, moved }) => (
                <tr key={rule}>
                  <th scope="row">
                    <Link to="/rules/$ruleId" params={{ ruleId: rule }}>
                      {title(rule)}
                    </Link>
                  </th>
                  <Change from={in_force.alone} to={moved.alone} />
                  <Change from={in_force.high} to={moved.high} />
                  <Change from={in_force.medium} to={moved.medium} />
                  <Change from={in_force.low} to={moved.low} />
                  <Change from={in_force.leading} to={moved.leading} />
                  <Change from={in_force.takes_s} to={moved.takes_s} unit="s" />
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </>
  )
}

function Change({ from, to, unit }: { from: number; to: number; unit?: 's' }) {
  const words = (value: number) => (unit === undefined ? count(value) : format(value, unit))
  const [before, after] = [words(from), words(to)]
  return (
    <td className="num">
      {before === after ? (
        before
      ) : (
        <>
          {before} → <b>{after}</b>
        </>
      )}
    </td>
  )
}
