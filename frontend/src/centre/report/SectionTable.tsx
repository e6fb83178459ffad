import { Link } from '@tanstack/react-router'
import { Missing } from '../../ui/Missing'
import { RuleLink } from '../../ui/RuleLink'
import { Scroll } from '../../ui/Scroll'
import table from '../../ui/Table.module.css'
import { Figure, nameOf } from './cells'
import css from './Report.module.css'
import type { Column, Section } from './types'

const RULE_COLUMNS = new Set(['rule'])
/** Names, numbers and dates: one line each. */
const ON_ONE_LINE = new Set([
  'job',
  'user',
  'rule',
  'job with most',
  'began',
  'since',
  'last contact',
  'ticket',
  'status',
])
const NOT_KNOWN = 'The logs do not say.'

/** A section as a table. What a row is known by stands first, also where the window is narrow; a row that a log is behind
 * leads to it there. */
export function SectionTable({ section, most }: { section: Section; most?: number }) {
  const { columns, rows, logs } = section
  const leading = leadingColumn(columns)
  const order = [...new Set([Math.max(0, leading), ...columns.keys()])]
  const shown = most === undefined ? rows : rows.slice(0, most)
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
          {shown.map((row, index) => (
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
  if (log && RULE_COLUMNS.has(column.title))
    return (
      <td className="nowrap">
        {content}{' '}
        <Link
          className="small"
          to="/centre/$day/logs/$log"
          params={{ day: log.day, log: log.log }}
          aria-label={`its largest log: ${cell ?? 'not named'}`}
        >
          its largest log
        </Link>
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
  if (cell === null) return <Missing reason={NOT_KNOWN}>–</Missing>
  if (typeof cell === 'number') return <Figure value={cell} unit={column.unit} named />
  return RULE_COLUMNS.has(column.title) ? <RuleLink rule={cell}>{cell}</RuleLink> : cell
}

/** Hours stand in the head of their column, and in no cell. */
function headOf({ title, unit }: Column): string {
  const hours = nameOf(unit)
  return hours === undefined || title.includes(unit) ? title : `${title}, ${hours}`
}

/** A sentence of few words a line is not read. */
const SENTENCES = new Set(['finding'])

function classOf(column: Column): string | undefined {
  if (!isText(column)) return 'num'
  if (ON_ONE_LINE.has(column.title)) return 'nowrap'
  return SENTENCES.has(column.title) ? css.sentence : css.text
}

const isText = (column: Column): boolean => column.unit === 'text'

/** The column that a row is known by: its job, else the first words. */
function leadingColumn(columns: readonly Column[]): number {
  const job = columns.findIndex((column) => column.title === 'job')
  if (job >= 0) return job
  const user = columns.findIndex((column) => column.title === 'user')
  return user >= 0 ? user : columns.findIndex(isText)
}
