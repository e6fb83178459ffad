import { AS_USUAL, TIMES_IN_WORDS } from '../../analysis/fixedNumbers'
import { format } from '../../format'
import { Missing } from '../../ui/Missing'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import { Figure } from './cells'
import css from './Report.module.css'
import { short } from './search'
import { Sparkline } from './TrendChart'
import type { Report, Series } from './types'

const SHOWN = ['written', 'read', 'jobs', 'files', 'io-hours', 'io-share', 'collective', 'high', 'lost']

/** The figures of the last day beside what is usual; for a week or a month, of its days in the middle. */
export function KeyFigures({ report }: { report: Report }) {
  const { trend, period } = report
  const series = SHOWN.flatMap((id) => trend.series.find((one) => one.id === id) ?? [])
  const name = period.kind === 'day' ? short(period.last) : 'a day'
  const compared = series.some(({ usual }) => usual !== null)
  // One day alone is no trend.
  const trending = series.some(({ values }) => values.filter((value) => value !== null).length > 1)
  // Of a user's logs, the days on which others ran are none.
  const before = trend.days.filter(
    (day, at) => day < period.first && trend.series.some(({ values }) => (values[at] ?? null) !== null),
  ).length
  return (
    <div>
      <div className={css.heading}>
        <h2>How was the {period.kind}?</h2>
        <p>
          {compared
            ? `beside ${usualDays(before)}; band: the middle half of them`
            : 'none of the 28 days before has logs to compare it with'}
        </p>
      </div>
      <Scroll label="How it was">
        <table className={`${table.table} ${css.key}`}>
          <caption className="vh">How it was</caption>
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col" className="num">
                {name}
              </th>
              {compared && (
                <>
                  <th scope="col" className={`num ${css.before28}`}>
                    28 days before
                  </th>
                  <th scope="col" className="num">
                    against <span className={css.before28}>them</span>
                    <span className={css.narrow}>28 days before</span>
                  </th>
                </>
              )}
              {trending && (
                <th scope="col">
                  {short(trend.days[0] ?? period.first)} to {short(period.last)}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {series.map((one) => (
              <Row
                key={one.id}
                series={one}
                inPeriod={trend.days.map((day) => day >= period.first)}
                compared={compared}
                trending={trending}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}

/** The same as `iotriage.centre.report.summary`. */
function usualDays(days: number): string {
  if (days === 1) return 'the one day with logs of the 28 before'
  return `the median of the ${days >= 28 ? '28 days' : `${days} days with logs of the 28`} before`
}

function Row({
  series,
  inPeriod,
  compared,
  trending,
}: {
  series: Series
  inPeriod: readonly boolean[]
  compared: boolean
  trending: boolean
}) {
  const now = middle(series.values.filter((_, at) => inPeriod[at]))
  const { usual, low, high } = series
  const unusual = now !== null && low !== null && high !== null && (now < low || now > high)
  return (
    <tr>
      <th scope="row" title={series.note || undefined}>
        {series.title}
      </th>
      <td className={`num ${css.now}`}>
        {now === null ? (
          <Missing alone reason="No log of these says it." />
        ) : (
          <Figure value={now} unit={series.unit} />
        )}
      </td>
      {compared && (
        <>
          <td className={`num muted ${css.before28}`}>
            {usual === null ? (
              <Missing alone reason="No day before has it." />
            ) : (
              <Figure value={usual} unit={series.unit} />
            )}
          </td>
          <td
            className={`num ${unusual ? css.unusual : ''}`}
            title={unusual ? 'outside the middle half' : undefined}
          >
            {now !== null && usual ? change(now / usual) : ''}
          </td>
        </>
      )}
      {trending && (
        <td>
          <Sparkline series={series} />
        </td>
      )}
    </tr>
  )
}

/** "+10 %", "−6.2 %", "22.4 ×" from three times on: with the digits of the report's sentences, so that one ratio is one
 * figure on the page. */
function change(ratio: number): string {
  if (ratio >= TIMES_IN_WORDS) return format(ratio, 'ratio')
  const apart = Math.abs(ratio - 1)
  if (apart < AS_USUAL) return 'as usual'
  const said = format(apart, 'share')
  if (said.startsWith('over ')) return `${said} ${ratio > 1 ? 'more' : 'less'}`
  return `${ratio > 1 ? '+' : '−'}${said}`
}

/** The median; null where there is none. */
function middle(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const half = (sorted.length - 1) / 2
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2
}
