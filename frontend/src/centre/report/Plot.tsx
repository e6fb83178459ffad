import { type ReactNode, useId } from 'react'
import chart from '../../charts/frame/chart.module.css'
import { PlainTable } from '../../charts/frame/PlainTable'
import { useWidth } from '../../charts/frame/useWidth'
import { unbroken } from '../../format'
import css from './Report.module.css'

/** A chart of a report: the question, what is to be seen, the drawing, and its data as a table. */
export function Plot({
  question,
  see,
  label,
  head,
  rows,
  children,
}: {
  question: string
  see: string
  /** The same for who does not see it. */
  label: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
  children: (width: number) => ReactNode
}) {
  const heading = useId()
  const [ref, width] = useWidth<HTMLDivElement>(420)
  return (
    <figure className={css.plot} aria-labelledby={heading}>
      <h3 id={heading}>{question}</h3>
      <p className={chart.see}>{unbroken(see)}</p>
      <div ref={ref} className={chart.plot} role="img" aria-label={label}>
        {children(width)}
      </div>
      <details className={css.data}>
        <summary>As a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is longer than its place is scrolled by keys */}
        <section className={css.longTable} tabIndex={0} aria-label={`${question} As a table`}>
          {/* The days of a year end with the one that is asked about. */}
          <PlainTable data={{ head, rows }} caption={question} most={rows.length} />
        </section>
      </details>
    </figure>
  )
}
