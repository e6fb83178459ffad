import { count } from '../../format'
import table from '../../ui/Table.module.css'

/** What a chart draws as a table, for those who cannot or would rather not look at it. */
export interface TextTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Of a job's ranks, files and targets, which have no bound, the first are there, and how many are not. */
const MOST_ROWS = 200

/** Matches figures, but not a rank with its node, as in "5 on nid001041". */
const FIGURE = /^(?:[<>≤≥]\s?|(?:over|about|at least|at most|up to) )?-?\d(?!\d* on )/
const NO_FIGURE = /^(?:–|not .*)?$/

/** Figures stand at the right of their column, so that their digits are below one another; names and words at its left. */
const isOfFigures = (cells: readonly string[]): boolean =>
  cells.some((cell) => FIGURE.test(cell)) && cells.every((cell) => FIGURE.test(cell) || NO_FIGURE.test(cell))

/** A table of words and figures as they are said; the first column names its line. */
export function PlainTable({
  data,
  caption,
  most = MOST_ROWS,
}: {
  data: TextTable
  caption: string
  /** Rows that are shown. */
  most?: number
}) {
  const more = data.rows.length - most
  const sides = data.head.map((_, i) =>
    i > 0 && isOfFigures(data.rows.map((row) => row[i] ?? '')) ? 'num' : '',
  )
  return (
    <table className={table.table}>
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          {data.head.map((name, i) => (
            <th scope="col" key={name} className={sides[i]}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows.slice(0, most).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files of one name and size have the same words
          <tr key={at}>
            {row.map((cell, i) =>
              i === 0 ? (
                <th scope="row" key={data.head[i]}>
                  {cell}
                </th>
              ) : (
                <td className={sides[i]} key={data.head[i]}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {more > 0 && (
        <tfoot>
          <tr>
            <td colSpan={data.head.length}>and {count(more)} more</td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}
