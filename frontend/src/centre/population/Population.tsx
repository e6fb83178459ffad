import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { StoreThreshold } from '../../access/administration/StoreThreshold'
import { meQuery, useHelps } from '../../access/queries'
import type { RuleView } from '../../api/types'
import { baseName, count, exactly, format, plural } from '../../format'
import button from '../../ui/Button.module.css'
import { Missing } from '../../ui/Missing'
import { Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import { Scroll } from '../../ui/Scroll'
import tables from '../../ui/Table.module.css'
import { hoursOf } from '../report/cells'
import { centreQuery } from '../report/queries'
import { drawable, firstOf } from './drawable'
import css from './Population.module.css'
import {
  type Asked,
  type Counts,
  type FlaggedLog,
  type Moved,
  movedQuery,
  type Population as OfDays,
  populationQuery,
} from './queries'
import { SettledFindings } from './SettledFindings'
import { ThresholdLine } from './ThresholdLine'

type Threshold = RuleView['thresholds'][number]

const SPANS = [1, 7, 28, 91, 365] as const

/** Whom a rule is put to the jobs of a warehouse for, where there is one. */
export function usePopulation(rule: RuleView): boolean {
  const helps = useHelps()
  const centre = useQuery({ ...centreQuery, enabled: helps })
  return helps && (centre.data?.days.length ?? 0) > 0 && rule.scope !== 'run-set' && drawable(rule).length > 0
}

/** A rule's thresholds against the centre's own jobs: what each flags, and what another number would. */
export function Population({ rule }: { rule: RuleView }) {
  const centre = useQuery(centreQuery)
  const thresholds = drawable(rule)
  const [chosen, choose] = useState(thresholds[0]?.id)
  const [span, setSpan] = useState<number>(7)
  const threshold = thresholds.find((one) => one.id === chosen) ?? thresholds[0]
  const last = centre.data?.days.at(-1)
  if (!threshold || !last) return null
  const asked = { rule: rule.id, threshold: threshold.id, first: firstOf(last, span), last }
  return (
    <>
      <div className={css.controls}>
        <label>
          Threshold
          <select value={threshold.id} onChange={(event) => choose(event.target.value)}>
            {thresholds.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Days, up to {last}
          <select value={span} onChange={(event) => setSpan(Number(event.target.value))}>
            {SPANS.map((days) => (
              <option key={days} value={days}>
                {plural(days, 'day')}
              </option>
            ))}
          </select>
        </label>
      </div>
      <OfDaysShown key={JSON.stringify(asked)} asked={asked} threshold={threshold} />
    </>
  )
}

function OfDaysShown({ asked, threshold }: { asked: Asked; threshold: Threshold }) {
  const population = useQuery(populationQuery(asked))
  const [own, setOwn] = useState<number | null>(null)
  const value = own ?? population.data?.values[0]?.value ?? threshold.default
  const settled = useDeferredValue(value)
  const moved = useQuery({ ...movedQuery(asked, settled), enabled: population.isSuccess })
  if (population.error) return <QueryProblem query={population} what="The distribution" />
  if (population.isPending) return <Skeleton height={320} />
  const { deciding, always, logs, lacking } = population.data
  return (
    <>
      <p className={css.note}>
        {deciding > 0
          ? `Of ${plural(logs, 'log')}, ${count(deciding)} ${deciding === 1 ? 'meets' : 'meet'} the rest of the rule: this number alone decides on ${deciding === 1 ? 'it' : 'them'}.${always > 0 ? ` ${count(always)} more ${areOf(always)} flagged whatever it is.` : ''} Heights are square roots of how many they are: one log is seen beside a thousand.`
          : `Of ${plural(logs, 'log')} this number decides on none${always > 0 ? `: ${count(always)} ${areOf(always)} flagged whatever it is` : ''}.`}
        {lacking.length > 0 &&
          ` Logs of ${plural(lacking.length, 'day')} were taken in before the figures were there, from ${lacking[0]}: take them in again.`}
      </p>
      {deciding > 0 && (
        <>
          <ThresholdLine population={population.data} threshold={threshold} value={value} onMove={setOwn} />
          {moved.error && <QueryProblem query={moved} what="What it flags" />}
          {moved.data && <Flagged moved={moved.data} threshold={threshold} />}
          {moved.data && <SettledFindings asked={asked} value={value} />}
        </>
      )}
      <Keep population={population.data} threshold={threshold} value={value} />
    </>
  )
}

function Flagged({ moved, threshold }: { moved: Moved; threshold: Threshold }) {
  return (
    <>
      <Scroll label="What is flagged by the numbers in force, and with this one" live>
        <table className={tables.table}>
          <caption className="vh">What is flagged by the numbers in force, and with this one</caption>
          <thead>
            <tr>
              <td />
              <th scope="col" className="num">
                jobs
              </th>
              <th scope="col" className="num">
                users
              </th>
              <th scope="col" className="num">
                node-hours
              </th>
              <th scope="col" className="num">
                advice helped
              </th>
              <th scope="col" className="num">
                did not help
              </th>
            </tr>
          </thead>
          <tbody>
            <CountsRow name="in force now" counts={moved.in_force} />
            <CountsRow name={`with ${exactly(moved.value, threshold.unit)}`} counts={moved.moved} />
          </tbody>
        </table>
      </Scroll>
      {moved.moved.logs_without_nodes > 0 && (
        <p className={css.note}>
          Node-hours leave out {plural(moved.moved.logs_without_nodes, 'log')} of {count(moved.moved.logs)},
          which {moved.moved.logs_without_nodes === 1 ? 'does not state its' : 'do not state their'} nodes.
        </p>
      )}
      {moved.appearing + moved.dropping === 0 ? (
        <p className={css.note}>The same logs are flagged.</p>
      ) : (
        <div className={css.lists}>
          <Logs title="Appear" total={moved.appearing} logs={moved.appear} threshold={threshold} />
          <Logs title="Drop out" total={moved.dropping} logs={moved.drop} threshold={threshold} />
        </div>
      )}
    </>
  )
}

function CountsRow({ name, counts }: { name: string; counts: Counts }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="num">{count(counts.jobs)}</td>
      <td className="num">{count(counts.users)}</td>
      <td className="num">
        <NodeHours counts={counts} />
      </td>
      <td className="num">{count(counts.helped)}</td>
      <td className="num">{count(counts.did_not_help)}</td>
    </tr>
  )
}

/** Of none of the logs they are not none, and of some of them a lower bound. */
function NodeHours({ counts: { node_hours, logs, logs_without_nodes } }: { counts: Counts }) {
  if (logs > 0 && logs_without_nodes === logs)
    return <Missing reason="None of these logs states its nodes.">not known</Missing>
  return `${logs_without_nodes > 0 ? '≥ ' : ''}${hoursOf(node_hours)}`
}

function Logs({
  title,
  total,
  logs,
  threshold,
}: {
  title: string
  total: number
  logs: readonly FlaggedLog[]
  threshold: Threshold
}) {
  return (
    <section aria-label={title}>
      <h3>
        {title}: {count(total)}
      </h3>
      {total === 0 && <p className={css.note}>No log does.</p>}
      {logs.length > 0 && (
        <ol>
          {logs.map((log) => (
            <li key={log.log}>
              <span>
                <Link to="/centre/$day/logs/$log" params={{ day: log.day, log: log.log }}>
                  {log.job_id === null ? 'a log of no job' : `job ${log.job_id}`}
                </Link>
                , {log.day}
                {log.executable !== null && <span className="muted"> {baseName(log.executable)}</span>}
              </span>
              <span className="num">{log.figure === null ? '' : format(log.figure, threshold.unit)}</span>
            </li>
          ))}
        </ol>
      )}
      {total > logs.length && <p className={css.note}>The {count(logs.length)} nearest to the line.</p>}
    </section>
  )
}

/** Writes the number found with its reason into a site's profile: for administrators. */
function Keep({ population, threshold, value }: { population: OfDays; threshold: Threshold; value: number }) {
  const me = useQuery(meQuery)
  const [site, setSite] = useState(population.values[0]?.site)
  if (me.data?.role !== 'admin' || site === undefined) return null
  return (
    <StoreThreshold
      site={site}
      chosen={{ threshold: threshold.id, unit: threshold.unit, value }}
      says="Chosen on the jobs of the centre's own days."
    >
      <label>
        Site
        <select className={button.select} value={site} onChange={({ target }) => setSite(target.value)}>
          {population.values.map((one) => (
            <option key={one.site}>{one.site}</option>
          ))}
        </select>
      </label>
    </StoreThreshold>
  )
}

const areOf = (logs: number) => (logs === 1 ? 'is' : 'are')
