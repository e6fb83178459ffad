import type { ReactNode } from 'react'
import table from './Table.module.css'

export interface Column<R> {
  readonly name: string
  readonly title?: string
  readonly number?: boolean
  /** What its cells look like besides. */
  readonly className?: string
  readonly cell: (row: R) => ReactNode
}

/** A table with a line for each row; the first column names it. Each cell knows its column's name (`data-label`), for
 *  where a line is told as a list. */
export function DataTable<R>({
  caption,
  columns,
  rows,
  keyOf,
  className = '',
}: {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R) => string
  className?: string | undefined
}) {
  return (
    <table className={`${table.table} ${className}`}>
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, title, number }) => (
            <th key={name} scope="col" className={number ? 'num' : ''} title={title}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, number, className = '', cell }, i) =>
              i === 0 ? (
                <th key={name} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={name} className={number ? `num ${className}` : className} data-label={name}>
                  <div>{cell(row)}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
