import { useQueries } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { FileGroupRow, FileRow } from '../api/types'
import { count } from '../format'
import { useVisibleRows, type VisibleRows } from '../ui/rows/useVisibleRows'
import table from '../ui/Table.module.css'
import { useMedia } from '../ui/useMedia'
import { HEADS, type Head, type Sort, sortOf, sortText } from './columns'
import { FileCell } from './FileCells'
import { FilePath } from './FilePath'
import css from './Files.module.css'
import { filesQuery, WINDOW } from './queries'
import type { Asked } from './search'
import { type Place, placeAt, type Segments } from './segments'

const ROW = 33
/** Of a row whose number of files stands below its name; both are heights of Files.module.css. */
const TWO_LINES = 42
const ROOM_FOR_BOTH = 'not all and (max-width: 47.5em)'
const BEYOND = 10

/** The lines of the table that are in sight; their files are fetched by the hundred as they come near. */
export function FileRows({
  caseId,
  asked,
  lines,
  onSort,
  onOpen,
  onFold,
  onEnd,
}: {
  caseId: string
  asked: Asked
  lines: Segments
  onSort: (sort: string) => void
  onOpen: (path: string) => void
  onFold: (group: string) => void
  /** Called when the groups that are not there yet come in sight. */
  onEnd: () => void
}) {
  const row = useMedia(ROOM_FOR_BOTH) ? ROW : TWO_LINES
  const sight = useVisibleRows({ total: lines.total, height: row, beyond: BEYOND, heads: ROW })
  const shown = sight.rows.flatMap((index) => {
    const place = placeAt(lines, index)
    return place ? [{ index, place }] : []
  })
  const fileAt = useFiles(
    caseId,
    asked,
    shown.map((s) => s.place),
  )
  const pending = shown.some((s) => s.place.kind === 'later')
  useEffect(() => {
    if (pending) onEnd()
  }, [pending, onEnd])
  const keys = useRowFocus(lines.total, sight)
  const sort = sortOf(asked.sort)
  return (
    <section className={`more ${css.box}`} ref={sight.box} aria-label="Rows of files">
      <table
        className={table.table}
        aria-label="Files"
        aria-rowcount={lines.total + 1}
        onKeyDown={keys.onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1}>
            {HEADS.map((head) => (
              <SortHead key={head.column} head={head} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sight.before > 0 && <Space height={sight.before} />}
          {shown.map(({ index, place }) => (
            <tr key={index} aria-rowindex={index + 2}>
              <Line
                place={place}
                file={place.kind === 'file' ? fileAt(place) : null}
                tabIndex={index === keys.at ? 0 : -1}
                onFocus={() => keys.moved(index)}
                onOpen={onOpen}
                onFold={onFold}
              />
            </tr>
          ))}
          {sight.after > 0 && <Space height={sight.after} />}
        </tbody>
      </table>
    </section>
  )
}

/** The files of the places in sight, from the windows that hold them. */
function useFiles(caseId: string, asked: Asked, places: readonly Place[]) {
  const windows = new Map<string, { group: string | null; window: number }>()
  for (const place of places) {
    if (place.kind !== 'file' || place.group?.files === 1) continue
    const group = place.group?.group ?? null
    const window = Math.floor(place.index / WINDOW)
    windows.set(`${group} ${window}`, { group, window })
  }
  const keys = [...windows.keys()]
  const found = useQueries({
    queries: [...windows.values()].map(({ group, window }) => filesQuery(caseId, asked, group, window)),
  })
  return (place: Extract<Place, { kind: 'file' }>): FileRow | null => {
    if (place.group?.files === 1) return alone(place.group)
    const key = `${place.group?.group ?? null} ${Math.floor(place.index / WINDOW)}`
    return found[keys.indexOf(key)]?.data?.files[place.index % WINDOW] ?? null
  }
}

/** The only file of a group: the group's line has all of it. */
const alone = ({ one, ...group }: FileGroupRow): FileRow => ({ ...group, path: one })

function Line({
  place,
  file,
  tabIndex,
  onFocus,
  onOpen,
  onFold,
}: {
  place: Place
  file: FileRow | null
  tabIndex: number
  onFocus: () => void
  onOpen: (path: string) => void
  onFold: (group: string) => void
}) {
  if (place.kind === 'group') {
    const { group, open } = place
    return (
      <>
        <th scope="row">
          <button
            type="button"
            className={css.group}
            aria-expanded={open}
            tabIndex={tabIndex}
            onFocus={onFocus}
            onClick={() => onFold(group.group)}
          >
            <FilePath path={group.template} />
            <span className={css.files}>{count(group.files)} files</span>
          </button>
        </th>
        <Cells file={group} together />
      </>
    )
  }
  if (file === null) {
    return (
      <th scope="row">
        <span className={css.later}>is being fetched</span>
      </th>
    )
  }
  const child = place.kind === 'file' && place.group !== null && place.group.files > 1
  return (
    <>
      <th scope="row" className={child ? css.child : ''}>
        <button
          type="button"
          className={css.file}
          tabIndex={tabIndex}
          onFocus={onFocus}
          onClick={() => onOpen(file.path)}
        >
          <FilePath path={file.path} />
        </button>
      </th>
      <Cells file={file} />
    </>
  )
}

function Cells({ file, together = false }: { file: Omit<FileRow, 'path'>; together?: boolean }) {
  return HEADS.slice(1).map((head) => (
    <td
      key={head.column}
      className={`${head.number ? 'num' : 'nowrap'} ${css[head.shown] ?? ''}`}
      title={together ? head.together : undefined}
    >
      <FileCell file={file} column={head.column} together={together} />
    </td>
  ))
}

function Space({ height }: { height: number }) {
  return (
    <tr className={css.space}>
      <td style={{ height }} />
    </tr>
  )
}

function SortHead({ head, sort, onSort }: { head: Head; sort: Sort; onSort: (sort: string) => void }) {
  const here = sort.column === head.column
  const descending = here ? !sort.descending : head.number
  return (
    <th
      scope="col"
      className={`${head.number ? 'num' : ''} ${css[head.shown] ?? ''} ${(head.column !== 'path' && css[head.column]) || ''}`}
      aria-sort={here ? (sort.descending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        title={head.title}
        onClick={() => onSort(sortText({ column: head.column, descending }))}
      >
        {head.name}
        {here && <span aria-hidden="true">{sort.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }

/** One row of all is reached by Tab; the arrows go from there, also to rows that are not drawn yet. */
function useRowFocus(total: number, { element, show }: VisibleRows) {
  const [at, setAt] = useState(0)
  const [wanted, setWanted] = useState<number | null>(null)
  useEffect(() => {
    if (wanted === null) return
    const row = element?.querySelector<HTMLElement>(`tr[aria-rowindex="${wanted + 2}"] button`)
    if (!row) return
    row.focus({ preventScroll: true })
    setWanted(null)
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!(event.target as HTMLElement).closest('tbody')) return
    const step = STEPS[event.key]
    const next =
      step !== undefined ? at + step : event.key === 'Home' ? 0 : event.key === 'End' ? total - 1 : null
    if (next === null) return
    event.preventDefault()
    const inside = Math.max(0, Math.min(total - 1, next))
    setAt(inside)
    setWanted(inside)
    show(inside)
  }
  return { at: Math.min(at, Math.max(0, total - 1)), moved: setAt, onKeyDown }
}
