import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { count, format, plural } from '../../format'
import { DOT } from '../../ui/Dotted'
import { logsSaid, shareCovered } from './Completeness'
import { Figure } from './cells'
import { cellsByName } from './cellsByName'
import css from './Report.module.css'
import { short } from './search'
import type { Report, Section } from './types'

const MOST_CAUSES = 4
const MOST_SLOW = 3

/** The parts further down that no line above leads to. */
const PARTS = {
  collective: 'How is MPI-IO used?',
  'who-moves-what-': 'Who moves what?',
  spread: 'How is it spread over the jobs?',
  better: 'Is it getting better?',
} as const

/** What the parts below answer at length, a line each: whether the machine is at fault, why time is lost, and of how much all of
 * it is. */
export function AtAGlance({ report }: { report: Report }) {
  const of = (id: string) => report.sections.find((section) => section.id === id)
  const causes = of('causes')
  const logs = of('completeness')
  const [osts, mounts] = [of('slow-osts'), of('slow-mounts')]
  return (
    <dl className={css.glance}>
      {osts && mounts && (
        <Line part="is-it-the-machine-" question="Is it the machine?">
          <Slow osts={osts} mounts={mounts} />
        </Line>
      )}
      {causes && causes.rows.length > 0 && (
        <Line part="why-is-time-lost-" question="Why is time lost?">
          <Causes section={causes} />
        </Line>
      )}
      {logs && (
        <Line part="completeness" question="How complete is this?">
          {logsSaid(logs)}
          {covered(of('coverage'))}
        </Line>
      )}
      <div>
        <dt>Further down</dt>
        <dd>
          {Object.entries(PARTS).map(([part, question], at) => (
            <Fragment key={part}>
              {at > 0 && DOT}
              <Link className="nowrap" to="." search={true} hash={part}>
                {question}
              </Link>
            </Fragment>
          ))}
        </dd>
      </div>
    </dl>
  )
}

function Line({ part, question, children }: { part: string; question: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Link to="." search={true} hash={part}>
          {question}
        </Link>
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

function Slow({ osts, mounts }: { osts: Section; mounts: Section }) {
  const named = (section: Section, what: (mount: string, cell: (title: string) => unknown) => string) => {
    const cellOf = cellsByName(section)
    return section.rows.map((row) => {
      const cell = (title: string) => cellOf(row, title)
      return { what: what(`${cell('mount')}`, cell), users: cell('users'), site: cell('site') }
    })
  }
  const found = [
    ...named(osts, (mount, cell) => `OST ${cell('OST')} of ${mount}`),
    ...named(mounts, (mount, cell) => {
      const ended = cell('ended')
      return typeof ended === 'string' ? `${mount} until ${short(ended)}` : mount
    }),
  ]
  const several = new Set(found.map(({ site }) => site)).size > 1
  const slow = found.map(
    ({ what, users, site }) => `${what}${several ? ` at ${site}` : ''}, for ${plural(Number(users), 'user')}`,
  )
  if (slow.length === 0) return 'No slow OST and no slow file system was found.'
  const more = slow.length - MOST_SLOW
  return `Slow: ${slow.slice(0, MOST_SLOW).join('; ')}${more > 0 ? `; and ${count(more)} more` : ''}.`
}

/** The causes that take most, as the table has them. */
function Causes({ section }: { section: Section }) {
  const shown = section.rows.slice(0, MOST_CAUSES)
  const more = section.rows.length - shown.length
  const cell = cellsByName(section)
  const causes = shown.map((row) => ({
    rule: String(cell(row, 'rule')),
    jobs: cell(row, 'jobs'),
    hours: cell(row, 'process-hours'),
  }))
  return (
    <>
      {causes.map(({ rule, jobs, hours }, at) => (
        <Fragment key={rule}>
          {at > 0 && DOT}
          <span className="nowrap">
            <Link to="/rules/$ruleId" params={{ ruleId: rule }}>
              {rule}
            </Link>{' '}
            {typeof hours === 'number' ? (
              <Figure value={hours} unit="process-hours" />
            ) : (
              plural(Number(jobs), 'job')
            )}
          </span>
        </Fragment>
      ))}
      {more > 0 && `${DOT}${plural(more, 'other cause')}`}
    </>
  )
}

const covered = (section: Section | undefined): string => {
  const share = shareCovered(section)
  return share === null ? '' : ` They cover ${format(share, 'share')} of the node-hours.`
}
