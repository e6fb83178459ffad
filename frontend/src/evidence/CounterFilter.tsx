import type { ReactNode } from 'react'
import button from '../ui/Button.module.css'
import css from './CounterFilter.module.css'

/** Above the counters of one record or one file: which of them to show. */
export function CounterFilter({
  words,
  onWords,
  zeros,
  onZeros,
  children,
}: {
  words: string
  onWords: (words: string) => void
  zeros: boolean
  onZeros: (zeros: boolean) => void
  children?: ReactNode
}) {
  return (
    <div className={css.tools}>
      <input
        type="search"
        className={button.field}
        placeholder="name of a counter"
        aria-label="Filter counters"
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
      <label>
        <input type="checkbox" checked={zeros} onChange={(event) => onZeros(event.target.checked)} />
        with zeros
      </label>
      {children}
    </div>
  )
}
