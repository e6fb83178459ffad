import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Given } from '../api/queries'
import type { SourceContents, Unit } from '../api/types'
import { FilePath } from '../files/FilePath'
import { useCase } from '../findings/CaseContext'
import { format, idWords, plural } from '../format'
import button from '../ui/Button.module.css'
import { Missing } from '../ui/Missing'
import { Skeleton } from '../ui/Notice'
import { QueryProblem } from '../ui/QueryProblem'
import { useVisibleRows } from '../ui/rows/useVisibleRows'
import table from '../ui/Table.module.css'
import { TypedField } from '../ui/typed/TypedField'
import { useMedia } from '../ui/useMedia'
import css from './Evidence.module.css'
import { meaningOf } from './meaning'
import { type AskedCounters, countersQuery } from './queries'
import type { EvidenceSearch } from './search'

const ROW = 29
/** Of a row whose file stands below; both are heights of Evidence.module.css. */
const TWO_LINES = 48
const ROOM_FOR_COLUMNS = 'not all and (max-width: 47.5em)'

/** Every counter of every record of a module: found by counter, file and record, with what it means on hover. */
export function CounterTable({
  source,
  modules,
  search,
  onChange,
}: {
  source: Given
  modules: SourceContents['modules']
  search: EvidenceSearch
  onChange: (set: EvidenceSearch, drop?: readonly (keyof EvidenceSearch)[]) => void
}) {
  const module = modules.find((m) => m.name === search.module) ?? modules[0]
  if (!module) return <p className="muted">The log holds no records with counters.</p>
  const { counter, of, record, zeros, largest } = search
  const asked: AskedCounters = {
    module: module.name,
    ...(counter && { counter }),
    ...(of && { of }),
    ...(record && { record }),
    ...(zeros && { zeros }),
    ...(largest && { largest }),
  }
  return (
    <div className={css.counters}>
      <div className={css.tools}>
        <select
          className={button.select}
          aria-label="Module"
          value={module.name}
          onChange={(event) => onChange({ module: event.target.value }, ['record'])}
        >
          {modules.map((m) => (
            <option key={m.name} value={m.name}>
              {m.name} ({plural(m.records, 'record')})
            </option>
          ))}
        </select>
        <TypedField
          label="Find counters by their name"
          placeholder="name of a counter"
          value={counter ?? ''}
          onRest={(words) => onChange({ counter: words })}
        />
        <TypedField
          label="Find counters by the name of their file"
          placeholder="name of a file"
          value={of ?? ''}
          onRest={(words) => onChange({ of: words })}
        />
        <label>
          <input
            type="checkbox"
            checked={zeros === 'yes'}
            onChange={(event) =>
              event.target.checked ? onChange({ zeros: 'yes' }) : onChange({}, ['zeros'])
            }
          />
          with zeros
        </label>
        <label>
          <input
            type="checkbox"
            checked={largest === 'yes'}
            onChange={(event) =>
              event.target.checked ? onChange({ largest: 'yes' }) : onChange({}, ['largest'])
            }
          />
          largest first
        </label>
        {record && (
          <button type="button" className={button.button} onClick={() => onChange({}, ['record'])}>
            One record only: show all
          </button>
        )}
      </div>
      {module.partial && (
        <p className="muted small">The log lost records of this module: there were more than are listed.</p>
      )}
      <Cells source={source} asked={asked} />
    </div>
  )
}

function Cells({ source, asked }: { source: Given; asked: AskedCounters }) {
  const { caseId } = useCase()
  const query = useInfiniteQuery(countersQuery(caseId, source, asked))
  const cells = useMemo(() => query.data?.pages.flatMap((page) => page.cells) ?? [], [query.data])
  const first = query.data?.pages[0]
  // On a phone a name has the line that its value needs too, and the file the next one.
  const row = useMedia(ROOM_FOR_COLUMNS) ? ROW : TWO_LINES
  const { box, rows, before, after } = useVisibleRows({ total: cells.length, height: row, beyond: 15 })
  const atEnd = (rows.at(-1) ?? 0) >= cells.length - 40
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  useEffect(() => {
    if (atEnd && hasNextPage && !isFetchingNextPage) fetchNextPage()
  }, [atEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
  if (query.error) return <QueryProblem query={query} what="The list of counters" />
  if (!first) return <Skeleton height={900} />
  return (
    <>
      <p className={css.found} role="status">
        {first.matched === 0
          ? 'No counter of this module matches.'
          : `${plural(first.matched, 'value')} of ${plural(first.records, 'record')}`}
      </p>
      {first.matched > 0 && (
        <section
          className={css.cells}
          ref={box}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
          tabIndex={0}
          aria-label="Counters"
        >
          <table className={table.table} aria-label="Counters" aria-rowcount={first.matched + 1}>
            <thead>
              <tr aria-rowindex={1}>
                <th scope="col">counter</th>
                <th scope="col" className="num">
                  value
                </th>
                <th scope="col" className={`num ${css.wide}`}>
                  that is
                </th>
                <th scope="col">file</th>
                <th scope="col" className={`num ${css.wide}`}>
                  rank
                </th>
              </tr>
            </thead>
            <tbody>
              {before > 0 && <Space height={before} />}
              {rows.map((index) => {
                const cell = cells[index]
                return cell ? (
                  <tr key={index} aria-rowindex={index + 2}>
                    <th scope="row" title={meaningOf(cell.name)}>
                      {cell.name}
                    </th>
                    <td className="num mono">
                      {cell.value === null ? <Missing>not available</Missing> : String(cell.value)}
                    </td>
                    <td className={`num muted nowrap ${css.wide}`}>{inUnit(cell.value, cell.unit)}</td>
                    <td>
                      {cell.file === null ? (
                        <span className="muted">record {cell.record}</span>
                      ) : (
                        <FilePath path={cell.file} />
                      )}
                    </td>
                    <td className={`num nowrap ${css.wide}`}>{cell.rank < 0 ? 'all' : idWords(cell.rank)}</td>
                  </tr>
                ) : null
              })}
              {after > 0 && <Space height={after} />}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}

function Space({ height }: { height: number }) {
  return (
    <tr className={css.space}>
      <td style={{ height }} />
    </tr>
  )
}

const UNITS: readonly Unit[] = ['B', 's', 'calls', 'OSTs']

/** The value again with a prefix, where that makes it easier to read. */
function inUnit(value: number | string | null, unit: string | null): string {
  if (typeof value !== 'number' || unit === null) return ''
  if (unit === 'rank') return `rank ${value}`
  if (unit === 'B²' || unit === 's²') return `(${format(Math.sqrt(value), unit === 'B²' ? 'B' : 's')})²`
  const known = UNITS.find((u) => u === unit)
  return known ? format(value, known) : `${value} ${unit}`
}
