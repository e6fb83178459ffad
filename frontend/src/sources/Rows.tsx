import { useState } from 'react'
import { count, plural } from '../format'
import button from '../ui/Button.module.css'
import { type Column, DataTable } from '../ui/DataTable'
import { Scroll } from '../ui/Scroll'
import css from './Sources.module.css'

const PAGE = 20

/** A table of what was read. On a phone each row is a list; many rows come in pages, quiet ones when asked for. */
export function Rows<R>({
  caption,
  columns,
  rows,
  folded = [],
  foldedWords = ['other', 'others'],
  keyOf,
  page = PAGE,
}: {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  folded?: readonly R[]
  /** What one folded row is called, and several. */
  foldedWords?: readonly [one: string, many: string]
  keyOf: (row: R) => string
  page?: number
}) {
  const [from, setFrom] = useState(0)
  const [all, setAll] = useState(false)
  const listed = all ? [...rows, ...folded] : rows
  const first = from < listed.length ? from : 0
  const shown = listed.slice(first, first + page)
  const turn = (to: number) => setFrom(Math.max(0, Math.min(to, listed.length - 1)))
  return (
    <>
      {shown.length > 0 && (
        <Scroll label={caption} className={css.wide}>
          <DataTable caption={caption} columns={columns} rows={shown} keyOf={keyOf} className={css.rows} />
        </Scroll>
      )}
      {(folded.length > 0 || listed.length > page) && (
        <p className={css.pages}>
          {listed.length > page && (
            <>
              <span>
                {count(first + 1)}–{count(first + shown.length)} of {count(listed.length)}
              </span>
              <button
                type="button"
                className={button.link}
                disabled={first === 0}
                onClick={() => turn(first - page)}
              >
                previous
              </button>
              <button
                type="button"
                className={button.link}
                disabled={first + page >= listed.length}
                onClick={() => turn(first + page)}
              >
                next
              </button>
            </>
          )}
          {folded.length > 0 && (
            <button
              type="button"
              className={button.link}
              aria-expanded={all}
              onClick={() => {
                setAll(!all)
                setFrom(0)
              }}
            >
              {all && 'without '}
              {plural(folded.length, ...foldedWords)}
            </button>
          )}
        </p>
      )}
    </>
  )
}
