import type { Section } from './types'

export type Row = Section['rows'][number]
type Cell = Row[number]

/** What a row has in the column of a title: a report may get a column more, before others too. Null where there is none. */
export function cellsByName({ columns }: Section): (row: Row, title: string) => Cell {
  const places = new Map(columns.map(({ title }, at) => [title, at]))
  return (row, title) => row[places.get(title) ?? row.length] ?? null
}
