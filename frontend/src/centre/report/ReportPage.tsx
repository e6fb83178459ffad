import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { ForStaff } from '../../access/ForStaff'
import { plural, unbroken } from '../../format'
import button from '../../ui/Button.module.css'
import { Notice, Skeleton } from '../../ui/Notice'
import { QueryProblem } from '../../ui/QueryProblem'
import shell from '../../ui/Shell.module.css'
import { AtAGlance } from './AtAGlance'
import { Bars } from './Bars'
import { Completeness } from './Completeness'
import { Cumulative } from './Cumulative'
import { KeyFigures } from './KeyFigures'
import { centreQuery, reportQuery, trendQuery } from './queries'
import css from './Report.module.css'
import { Filters, WhichDay } from './ReportControls'
import { inWords, type ReportSearch } from './search'
import { Tables } from './Tables'
import { TrendChart } from './TrendChart'
import type { Report, Section } from './types'
import { WhoLosesMost } from './WhoLosesMost'

const COLLECTIVE = ['collective', 'read-to-write', 'aggregators']
const COLLECTIVE_LOST = ['lost-independent', 'lost-read-to-write', 'lost-aggregators']
const BETTER = ['lost', 'could-save', 'io-share', 'high', 'written', 'read']

/** What a centre's jobs did in a day, a week or a month: a line for each question that staff ask first, who loses most, then why,
 * and at the end how complete it is. */
export const ReportPage = () => (
  <ForStaff>
    <Asked />
  </ForStaff>
)

function Asked() {
  const { day } = useParams({ from: '/centre/$day' })
  const search = useSearch({ from: '/centre/$day' })
  const report = useQuery(reportQuery(day, search))
  const centre = useQuery(centreQuery)
  return (
    <div className={`${shell.wrap} ${css.page}`}>
      <title>{`Centre, ${inWords(day)} · IOtriage`}</title>
      <div className={css.head}>
        <div>
          {report.data && <p className="paper small muted">{daysOf(report.data.period)}</p>}
          <h1>{report.data?.headline ?? `The centre on ${inWords(day)}`}</h1>
          <p className={css.then}>{report.data && unbroken(report.data.summary)}</p>
        </div>
        <WhichDay day={day} search={search} days={centre.data?.days ?? []} />
      </div>
      {report.isPending ? (
        <Skeleton height={600} />
      ) : report.error ? (
        <QueryProblem query={report} what="The report" />
      ) : (
        <div
          aria-busy={report.isPlaceholderData}
          className={report.isPlaceholderData ? css.before : undefined}
        >
          <Filters day={day} search={search} choices={report.data.choices} />
          <Content report={report.data} search={search} days={centre.data?.days ?? []} />
        </div>
      )}
    </div>
  )
}

/** On a screen the field that chooses the day says it. */
const daysOf = ({ first, last }: Report['period']): string =>
  first === last ? inWords(first) : `${inWords(first)} to ${inWords(last)}`

interface Shown {
  readonly report: Report
  readonly search: ReportSearch
  readonly days: readonly string[]
}

/** Days around it fill the sections of a period in which no log was read with what they had. */
const anyLog = ({ histograms, distributions }: Report) =>
  histograms.some((one) => one.of > 0) || distributions.some((one) => one.jobs > 0)

function Content({ report, search, days }: Shown) {
  if (!anyLog(report)) {
    return (
      <>
        <NoLogs report={report} search={search} days={days} />
        {report.sections.length > 0 && <Completeness report={report} />}
      </>
    )
  }
  const of = (theme: Section['theme']) => report.sections.filter((section) => section.theme === theme)
  const need = report.sections.find((section) => section.id === 'help')
  const lost = of('help').filter((section) => section !== need)
  return (
    <>
      <AtAGlance report={report} />
      <section className={css.two} aria-label="Key figures, and who loses most">
        <KeyFigures report={report} />
        {need && <WhoLosesMost section={need} />}
      </section>
      {lost.length > 0 && (
        <Part
          title="Who loses how much?"
          about="to all findings, by project, user and program"
          sections={lost}
        />
      )}
      <Part
        title="Is it the machine?"
        about="what is slow for several users is not theirs to mend"
        sections={of('machine')}
      />
      <Part
        title="Why is time lost?"
        about="by cause, and the jobs with most of it"
        sections={of('causes')}
      />
      <Collective report={report} sections={of('collective')} />
      <Part
        title="Who moves what?"
        about="users, programs, file systems"
        sections={[...of('who'), ...of('totals')]}
      />
      <Spread report={report} />
      {need && need.rows.length > 0 && (
        <Part
          title="All who lose to findings of high severity"
          about="and when they were last written to"
          sections={[need, ...of('effect')]}
        />
      )}
      <Better report={report} search={search} />
      <Completeness report={report} />
    </>
  )
}

/** What the page says on top, and the way to the days before and after of which there are logs. */
function NoLogs({ report, search, days }: Shown) {
  const { first, last } = report.period
  const near = [days.findLast((day) => day < first), days.find((day) => day > last)].filter(
    (day) => day !== undefined,
  )
  return (
    <>
      {near.length > 0 && (
        <p>
          The nearest {near.length === 1 ? 'day' : 'days'} with logs:{' '}
          {near.map((day, at) => (
            <Fragment key={day}>
              {at > 0 && ' and '}
              <Link to="/centre/$day" params={{ day }} search={search}>
                {inWords(day)}
              </Link>
            </Fragment>
          ))}
          .
        </p>
      )}
      {report.sections.length === 0 && <p className={css.unseen}>{report.unseen}</p>}
    </>
  )
}

/** Collective against independent calls, read-modify-write, and how many aggregators work, across the centre. */
function Collective({ report, sections }: { report: Report; sections: readonly Section[] }) {
  return (
    <section aria-labelledby="collective">
      <div className={css.heading}>
        <h2 id="collective">How is MPI-IO used?</h2>
        <p>collective and independent calls, read-modify-write, aggregators at work: the whole centre</p>
      </div>
      <div className={css.three}>
        {COLLECTIVE.map((id) => {
          const histogram = report.histograms.find((one) => one.id === id)
          return histogram && <Bars key={id} histogram={histogram} />
        })}
        {COLLECTIVE.map((id) => trendOf(report, id))}
        {COLLECTIVE_LOST.map((id) => trendOf(report, id))}
      </div>
      <Tables sections={sections} />
    </section>
  )
}

const trendOf = ({ trend }: Pick<Report, 'trend'>, id: string) => {
  const series = trend.series.find((one) => one.id === id)
  return series && <TrendChart key={id} series={series} days={trend.days} />
}

function Part({ title, about, sections }: { title: string; about: string; sections: readonly Section[] }) {
  const id = title.replaceAll(/\W+/g, '-').toLowerCase()
  return (
    <section aria-labelledby={id}>
      <div className={css.heading}>
        <h2 id={id}>{title}</h2>
        <p>{about}</p>
      </div>
      <Tables sections={sections} />
    </section>
  )
}

function Spread({ report }: { report: Report }) {
  const inIo = report.histograms.find((histogram) => histogram.id === 'io-share')
  return (
    <section aria-labelledby="spread">
      <div className={css.heading}>
        <h2 id="spread">How is it spread over the jobs?</h2>
        <p>the share of the jobs with at most so much; marked: 50, 75, 90 and 99 %</p>
      </div>
      <div className={css.three}>
        {inIo && <Bars histogram={inIo} />}
        {report.distributions.map((distribution) => (
          <Cumulative key={distribution.id} distribution={distribution} />
        ))}
      </div>
    </section>
  )
}

/** Four weeks and the period; the year when somebody asks for it. */
function Better({ report, search }: { report: Report; search: ReportSearch }) {
  const [year, setYear] = useState(false)
  const trend = useQuery({
    ...trendQuery(report.period.last, search),
    enabled: year,
    placeholderData: keepPreviousData,
  })
  const shown = year && trend.data ? trend.data : report.trend
  return (
    <section aria-labelledby="better">
      <div className={css.heading}>
        <h2 id="better">Is it getting better?</h2>
        <p>one mark a day; dashed: the median of the days before; hatched: no log of the day has it</p>
        <button type="button" className={button.button} aria-pressed={year} onClick={() => setYear(!year)}>
          {year ? 'Show four weeks' : 'Show the year'}
        </button>
      </div>
      {year && trend.error && <QueryProblem query={trend} what="The year" />}
      {year && trend.data && trend.data.unread.length > 0 && (
        <Notice title={`${plural(trend.data.unread.length, 'day is', 'days are')} left out`}>
          What they have is not summed up yet: the next iotriage ingest does that.
        </Notice>
      )}
      <div className={css.three} aria-busy={year && trend.isFetching}>
        {BETTER.map((id) => trendOf({ trend: shown }, id))}
      </div>
    </section>
  )
}
