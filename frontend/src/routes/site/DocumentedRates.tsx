import type { Site } from '../../api/types'
import { SCALES } from '../../charts/expectation/rates'
import { count } from '../../format'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import css from '../Rules.module.css'
import { By } from './By'

type Rates = Site['rates'][number]
type Statistic = readonly [word: string, field: Exclude<keyof Rates['rows'][number], 'processes'>]

function statisticsOf({ statistic }: Rates): readonly Statistic[] {
  if (statistic === 'range')
    return [
      ['least', 'minimum'],
      ['most', 'maximum'],
    ]
  if (statistic !== 'quartiles') return [[statistic, 'rate']]
  return [
    ['lower quartile', 'lower_quartile'],
    ['median', 'rate'],
    ['upper quartile', 'upper_quartile'],
    ['maximum', 'maximum'],
  ]
}

export function DocumentedRates({ site }: { site: Site }) {
  return (
    <section aria-label="Documented bandwidths">
      <h2>What its documents measured</h2>
      {site.rates.map((rates) => (
        <div key={rates.id} className={css.setting}>
          <p>
            {rates.title}: {rates.direction}, {rates.statistic}, in {rates.unit}; measured {rates.measured}.{' '}
            {rates.settings && `With ${rates.settings}. `}
            <By source={rates.source} />
          </p>
          <Scroll label={rates.title} className={rates.rows.length < 3 ? css.few : ''}>
            <RatesTable rates={rates} />
          </Scroll>
        </div>
      ))}
    </section>
  )
}

/** Process counts stand side by side, as the documents have them; few of them below one another, which is the wider. */
function RatesTable({ rates }: { rates: Rates }) {
  const { rows, unit } = rates
  const statistics = statisticsOf(rates)
  const said = (value: number | null) => (value === null ? null : count(value / SCALES[unit]))
  const few = rows.length === 1 || rows.length < statistics.length
  return (
    <table className={table.table} aria-label={`${rates.title}: ${rates.direction}`}>
      <thead>
        <tr>
          <th scope="col">processes</th>
          {few
            ? statistics.map(([word]) => (
                <th key={word} scope="col" className="num">
                  {word}
                </th>
              ))
            : rows.map(({ processes }) => (
                <th key={processes} scope="col" className="num">
                  {count(processes)}
                </th>
              ))}
        </tr>
      </thead>
      <tbody>
        {few
          ? rows.map((row) => (
              <tr key={row.processes}>
                <th scope="row">{count(row.processes)}</th>
                {statistics.map(([word, field]) => (
                  <td key={word} className="num">
                    {said(row[field])}
                  </td>
                ))}
              </tr>
            ))
          : statistics.map(([word, field]) => (
              <tr key={word}>
                <th scope="row">{word}</th>
                {rows.map((row) => (
                  <td key={row.processes} className="num">
                    {said(row[field])}
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  )
}
