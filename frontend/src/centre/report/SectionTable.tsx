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
/** What an empty cell says where it is not the logs that say it. */
const NOTHING: Record<string, string> = {
  rule: 'none',
  'last contact': 'never',
  ticket: 'none',
  status: 'none',
}

const NO_DAYS = 'None of these days has a figure.'
/** Why a cell is empty that is beside other days than those of the report: what logs they have may say nothing of it. */
const BESIDE_OTHER_DAYS: Record<string, string> = {
  'median of 7 days': NO_DAYS,
  'median of 28 days': NO_DAYS,
  'against 28 days': 'The day has no figure, or the 28 days none but 0.',
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

/** Why a column has no cell: it stands beside its title. */
const whyEmpty = ({ title }: Column): keyof typeof UNFILLED =>
  title in NOTHING ? 'nothing' : title in BESIDE_OTHER_DAYS ? 'noDays' : 'unknown'

/** "No log of these says: node-hours, nodes known. None of these has: last contact, ticket, status." */
const UNFILLED = {
  unknown: (titles: string) => `No log of these says: ${titles}.`,
  nothing: (titles: string) => `None of these has: ${titles}.`,
  noDays: (titles: string) => `Earlier days have nothing to compare with: ${titles}.`,
}

function Unfilled({ columns }: { columns: readonly Column[] }) {
  const said = Object.entries(UNFILLED).flatMap(([why, say]) => {
    const titles = columns.filter((column) => whyEmpty(column) === why).map(({ title }) => title)
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
  if (log && RULE_COLUMNS.has(column.title))
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
  if (cell === null && column.title in NOTHING) return <span className="muted">{NOTHING[column.title]}</span>
  if (cell === null) return <Missing alone reason={BESIDE_OTHER_DAYS[column.title] ?? NOT_KNOWN} />
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
