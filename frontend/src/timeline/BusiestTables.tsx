import { count, spoken } from '../format'
import table from '../ui/Table.module.css'
import type { HeatmapView } from './queries'
import css from './Said.module.css'

/** The picture in figures: who moved most, and when. */
export function BusiestTables({ view }: { view: HeatmapView }) {
  return (
    <details className={css.more}>
      <summary>The busiest ranks and times in figures</summary>
      <div className={css.beside}>
        <div className="scroll">
          <table className={table.table}>
            <caption className="vh">Busiest ranks</caption>
            <thead>
              <tr>
                <th scope="col">rank</th>
                <th scope="col" className="num">
                  written
                </th>
                <th scope="col" className="num">
                  read
                </th>
              </tr>
            </thead>
            <tbody>
              {view.busiest_ranks.map((rank) => (
                <tr key={rank.rank}>
                  <th scope="row">{count(rank.rank)}</th>
                  <td className="num">{spoken(rank.written_bytes, 'B')}</td>
                  <td className="num">{spoken(rank.read_bytes, 'B')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="scroll">
          <table className={table.table}>
            <caption className="vh">Busiest times</caption>
            <thead>
              <tr>
                <th scope="col">time</th>
                <th scope="col" className="num">
                  written
                </th>
                <th scope="col" className="num">
                  read
                </th>
              </tr>
            </thead>
            <tbody>
              {view.busiest_times.map((time) => (
                <tr key={time.from_s}>
                  <th scope="row">
                    {spoken(time.from_s, 's')} to {spoken(time.to_s, 's')}
                  </th>
                  <td className="num">{spoken(time.written_bytes, 'B')}</td>
                  <td className="num">{spoken(time.read_bytes, 'B')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </details>
  )
}
