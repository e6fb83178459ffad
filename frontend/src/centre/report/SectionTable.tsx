import { Link } from '@tanstack/react-router'
import { Missing } from '../../ui/Missing'
import { RuleLink } from '../../ui/RuleLink'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import { Figure, nameOf } from './cells'
import css from './Report.module.css'
import type { Column, Section } from './types'

/** What an empty cell says where it is not the logs that say it. */
const NOTHING: Partial<Record<Column['empty'], string>> = { none: 'none', never: 'never' }

/** Why a cell is empty. What is beside other days than those of the report: what logs they have may say nothing of it. */
const REASONS: Partial<Record<Column['empty'], string>> = {
  unknown: 'The logs do not say.',
  no_days: 'None of these days has a figure.',
  no_ratio: 'There is no figure, or none but 0 to hold it against.',
}

/** A section as a table. What a row is known by stands first, also where the window is narrow; a row that a log is behind
 * leads to it there. A column that no row fills is named below. */
export function SectionTable({ section, most }: { section: Section; most?: number }) {
  const { columns, rows } = section
  const shown = most === undefined ? rows : rows.slice(0, most)
  const leading = leadingColumn(columns)
  const order = [...new Set([Math.max(0, leading), ...columns.keys()])]
  const filled = order.filter((at) => at === leading || shown.some((row) => row[at] !== null))
  return (
    <>
      <Grid section={section} rows={shown} order={filled} leading={leading} />
      <Unfilled columns={order.filter((at) => !filled.includes(at)).flatMap((at) => columns[at] ?? [])} />
    </>
  )
}

/** What is said of columns that have no cell, for what that means. */
const UNFILLED = [
  { means: ['unknown'], say: (titles: string) => `No log of these says: ${titles}.` },
  { means: ['none', 'never'], say: (titles: string) => `None of these has: ${titles}.` },
  {
    means: ['no_days', 'no_ratio'],
    say: (titles: string) => `Earlier days have nothing to compare with: ${titles}.`,
  },
] satisfies { means: Column['empty'][]; say: (titles: string) => string }[]

function Unfilled({ columns }: { columns: readonly Column[] }) {
  const said = UNFILLED.flatMap(({ means, say }) => {
    const titles = columns.filter(({ empty }) => means.some((one) => one === empty)).map(({ title }) => title)
    return titles.length > 0 ? [say(titles.join(', '))] : []
  })
  return said.length > 0 && <p className={css.unfilled}>{said.join(' ')}</p>
}

function Grid({
  section,
  rows,
  order,
  leading,
}: {
  section: Section
  rows: Section['rows']
  order: readonly number[]
  leading: number
}) {
  const { columns, logs } = section
  return (
    <Scroll label={section.title}>
      <table className={table.table}>
        <caption className="vh">{section.title}</caption>
        <thead>
          <tr>
            {order.map((at) => {
              const column = columns[at]
              return column ? (
                <th key={column.title} scope="col" className={isText(column) ? undefined : 'num'}>
                  {headOf(column)}
                </th>
              ) : null
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the answer
            <tr key={index}>
              {order.map((at) => (
                <CellOf
                  key={columns[at]?.title}
                  cell={row[at] ?? null}
                  column={columns[at]}
                  log={at === leading ? (logs[index] ?? null) : null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

type Cell = Section['rows'][number][number]
type Log = Section['logs'][number]

function CellOf({ cell, column, log }: { cell: Cell; column: Column | undefined; log: Log }) {
  if (column === undefined) return null
  const content = <Content cell={cell} column={column} />
  // A rule leads to its own page; the log with most of it stands beside it.
  if (log && column.holds === 'rule')
    return (
      <td className="nowrap">
        <span className={css.ruleAndLog}>
          {content}
          <Link
            className="small"
            to="/centre/$day/logs/$log"
            params={{ day: log.day, log: log.log }}
            aria-label={`largest log: ${cell ?? 'not named'}`}
          >
            largest log
          </Link>
        </span>
      </td>
    )
  return (
    <td className={classOf(column)}>
      {log ? (
        <Link to="/centre/$day/logs/$log" params={{ day: log.day, log: log.log }}>
          {cell === null ? 'log' : content}
        </Link>
      ) : (
        content
      )}
    </td>
  )
}

function Content({ cell, column }: { cell: Cell; column: Column }) {
  if (cell === null) {
    const nothing = NOTHING[column.empty]
    return nothing ? (
      <span className="muted">{nothing}</span>
    ) : (
      <Missing alone reason={REASONS[column.empty] ?? null} />
    )
  }
  if (typeof cell === 'number') return <Figure value={cell} unit={column.unit} named />
  return column.holds === 'rule' ? <RuleLink rule={cell}>{cell}</RuleLink> : cell
}

/** Hours stand in the head of their column, and in no cell. */
function headOf({ title, unit }: Column): string {
  const hours = nameOf(unit)
  return hours === undefined || title.includes(unit) ? title : `${title}, ${hours}`
}

/** Names and dates stand on one line each; a sentence of few words a line is not read. */
const TEXTS: Readonly<Record<Column['holds'], string | undefined>> = {
  name: 'nowrap',
  date: 'nowrap',
  rule: 'nowrap',
  sentence: css.sentence,
  words: css.text,
}

const classOf = (column: Column): string | undefined => (isText(column) ? TEXTS[column.holds] : 'num')

const isText = (column: Column): boolean => column.unit === 'text'

/** The column that a row is known by: its first name, else the first words. */
function leadingColumn(columns: readonly Column[]): number {
  const name = columns.findIndex(({ holds }) => holds === 'name')
  return name >= 0 ? name : columns.findIndex(isText)
}
