import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { CaseDocument, FileRow } from '../api/types'
import { count, plural, type Shown, spoken } from '../format'
import button from '../ui/Button.module.css'
import { Missing } from '../ui/Missing'
import { Num } from '../ui/Num'
import section from '../ui/Section.module.css'
import table from '../ui/Table.module.css'
import { exactly } from './bulletScale'
import css from './FileTable.module.css'
import { type Column, type Line, linesOf, type Sort, sortOf, sortText } from './fileRows'

const HEADS: readonly { column: Column; name: string; title: string; number: boolean }[] = [
  { column: 'path', name: 'file', title: 'path of the file', number: false },
  { column: 'pattern', name: 'pattern', title: 'how its ranks use it', number: false },
  { column: 'bytes_written', name: 'written', title: 'bytes written at the highest layer', number: true },
  { column: 'bytes_read', name: 'read', title: 'bytes read at the highest layer', number: true },
  { column: 'size_bytes', name: 'size', title: 'size as far as the evidence tells', number: true },
  { column: 'stripe_count', name: 'stripes', title: 'Lustre stripe count and size', number: true },
  { column: 'ranks', name: 'ranks', title: 'ranks that opened it', number: true },
  {
    column: 'collective_calls',
    name: 'coll. / indep.',
    title: 'collective and independent MPI-IO calls',
    number: true,
  },
  { column: 'time_s', name: 'time', title: 'seconds in reads, writes and metadata', number: true },
  { column: 'metadata_time_s', name: 'metadata', title: 'seconds in opens, stats and closes', number: true },
  {
    column: 'effective_ranks',
    name: 'effective ranks',
    title: 'ranks that really carry its bytes',
    number: true,
  },
]
const ROW = 33
/** Fewer rows are simply drawn. */
const VIRTUAL_FROM = 80

/** All files of the job: sortable, filterable, files of like names folded into one line. */
export function FileTable({
  document,
  words,
  sort: sortWords,
  onWords,
  onSort,
}: {
  document: CaseDocument
  words: string
  sort: string | undefined
  onWords: (words: string) => void
  onSort: (sort: string) => void
}) {
  const [ungrouped, setUngrouped] = useState(false)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const sort = sortOf(sortWords)
  const { column, descending } = sort
  const lines = useMemo(
    () => linesOf(document, { words, sort: { column, descending }, grouped: !ungrouped, open }),
    [document, words, column, descending, ungrouped, open],
  )
  const foldable = document.groups.some((g) => g.files > 1)
  const bytes = document.files.reduce((sum, f) => sum + (f.bytes_read ?? 0) + (f.bytes_written ?? 0), 0)
  const left = document.files_total - document.files.length
  const toggle = (id: string) => {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  return (
    <section id="files" aria-labelledby="files-heading">
      <div className={section.row}>
        <h2 id="files-heading">Files</h2>
        <p>
          {plural(document.files_total, 'file')}, {spoken(bytes, 'B')} moved
          {left > 0 && `; the ${count(document.files.length)} with most bytes are listed`}
        </p>
        <div className={css.tools}>
          {foldable && (
            <label>
              <input type="checkbox" checked={!ungrouped} onChange={(e) => setUngrouped(!e.target.checked)} />
              fold like names
            </label>
          )}
          <input
            type="search"
            className={button.field}
            placeholder="name, pattern, layer"
            aria-label="Filter files"
            value={words}
            onChange={(event) => onWords(event.target.value)}
          />
        </div>
      </div>
      {document.files.length === 0 ? (
        <p className="muted">The evidence names no files.</p>
      ) : lines.length === 0 ? (
        <p className="muted">No file has “{words}” in its name, pattern or layers.</p>
      ) : (
        <Rows lines={lines} sort={sort} onSort={onSort} onToggle={toggle} />
      )}
    </section>
  )
}

function Rows({
  lines,
  sort,
  onSort,
  onToggle,
}: {
  lines: readonly Line[]
  sort: Sort
  onSort: (sort: string) => void
  onToggle: (id: string) => void
}) {
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialRect: { width: 1000, height: 620 },
    enabled: lines.length > VIRTUAL_FROM,
  })
  const items = virtual.getVirtualItems()
  const all = lines.length <= VIRTUAL_FROM
  const before = all ? 0 : (items[0]?.start ?? 0)
  const after = all ? 0 : virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const shown = all
    ? lines.map((line, index) => ({ line, index }))
    : items.flatMap(({ index }) => {
        const line = lines[index]
        return line ? [{ line, index }] : []
      })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className={css.box} ref={box} tabIndex={0} aria-label="Rows of files">
      <table className={table.table} aria-rowcount={lines.length + 1}>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <SortHead key={head.column} head={head} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Space height={before} />}
          {shown.map(({ line, index }) => (
            <Row
              key={line.kind === 'group' ? `g${line.id}` : line.file.path}
              line={line}
              index={index}
              onToggle={onToggle}
            />
          ))}
          {after > 0 && <Space height={after} />}
        </tbody>
      </table>
    </section>
  )
}

function Space({ height }: { height: number }) {
  return (
    <tr className={css.space}>
      <td colSpan={HEADS.length} style={{ height }} />
    </tr>
  )
}

function SortHead({
  head,
  sort,
  onSort,
}: {
  head: (typeof HEADS)[number]
  sort: Sort
  onSort: (sort: string) => void
}) {
  const here = sort.column === head.column
  const descending = here ? !sort.descending : head.number
  return (
    <th
      scope="col"
      className={head.number ? 'num' : ''}
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

function Row({ line, index, onToggle }: { line: Line; index: number; onToggle: (id: string) => void }) {
  const file = line.kind === 'group' ? line.sum : line.file
  return (
    <tr aria-rowindex={index + 2}>
      <th
        scope="row"
        className={`${css.path} ${line.kind === 'file' && line.child ? css.child : ''}`}
        title={line.kind === 'file' ? file.path : undefined}
      >
        {line.kind === 'group' ? (
          <bdi>
            <button
              type="button"
              className={css.group}
              aria-expanded={line.open}
              onClick={() => onToggle(line.id)}
            >
              {line.label}
            </button>
          </bdi>
        ) : (
          <bdi>{file.path}</bdi>
        )}
      </th>
      <td className="nowrap">
        {file.pattern ?? <span className="muted">{line.kind === 'group' ? 'differs' : 'not judged'}</span>}
        {file.layers.length > 0 && <span className="muted small">, {file.layers.join(', ')}</span>}
      </td>
      <Cell value={file.bytes_written} unit="B" />
      <Cell value={file.bytes_read} unit="B" />
      <Cell value={file.size_bytes} unit="B" />
      <td className="num">
        <Stripes file={file} />
      </td>
      <Cell value={file.ranks} unit="1" whole />
      <td className="num">
        {file.collective_calls === null && file.independent_calls === null ? (
          <span className="muted">–</span>
        ) : (
          `${callsOf(file.collective_calls)} / ${callsOf(file.independent_calls)}`
        )}
      </td>
      <Cell value={file.time_s} unit="s" />
      <Cell value={file.metadata_time_s} unit="s" />
      <Cell value={file.effective_ranks} unit="1" />
    </tr>
  )
}

const callsOf = (value: number | null) => (value === null ? '?' : count(value))

function Cell({ value, unit, whole = false }: { value: number | null; unit: Shown; whole?: boolean }) {
  return (
    <td className="num">
      {value === null ? <Missing> </Missing> : whole ? count(value) : <Num value={value} unit={unit} />}
      {value === null && <span className="vh">not recorded</span>}
    </td>
  )
}

function Stripes({ file }: { file: FileRow }) {
  if (file.stripe_count === null) {
    return (
      <>
        <Missing> </Missing>
        <span className="vh">not recorded</span>
      </>
    )
  }
  return (
    <>
      {file.stripe_count}
      {file.stripe_size_bytes !== null && (
        <span className="u"> × {exactly(file.stripe_size_bytes, 'B')}</span>
      )}
    </>
  )
}
