import { type ReactNode, useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { notFetched, WHY_NOT_FETCHED } from '../../ui/LatePart'
import { Notice } from '../../ui/Notice'
import { Scroll } from '../../ui/Scroll'
import css from './chart.module.css'
import { PlainTable, type TextTable } from './PlainTable'
import { useWidth } from './useWidth'

/** A chart with everything around it: the question it answers, a sentence with the answer, the plot, where the data
 * is from, and the data as a table. */
export function Figure({
  question,
  see,
  names,
  caption,
  closer,
  table,
  onSave,
  children,
}: {
  question: string
  see: ReactNode
  /** What of it can be marked in the other charts. */
  names?: ReactNode
  caption: string
  /** A link to a more detailed view. */
  closer?: ReactNode
  table: TextTable
  onSave?: (plot: HTMLElement, kind: 'svg' | 'png') => Promise<void>
  /** The plot, as wide as its place. */
  children: (width: number) => ReactNode
}) {
  const [plot, width] = useWidth<HTMLDivElement>()
  const [open, setOpen] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const heading = useId()
  const id = useId()
  const asTable = <PlainTable data={table} caption={question} />
  return (
    <figure className={css.figure} aria-labelledby={heading}>
      <h3 id={heading}>{question}</h3>
      <p className={css.see}>{see}</p>
      <div className={css.plot} ref={plot} aria-hidden="true">
        {children(width)}
      </div>
      {names}
      <div className={css.under}>
        <figcaption>{caption}</figcaption>
        <p className={css.actions}>
          {closer}
          <button
            type="button"
            className={button.link}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            {open ? 'hide the table' : 'as a table'}
          </button>
          {onSave &&
            (['svg', 'png'] as const).map((kind) => (
              <button
                key={kind}
                type="button"
                className={button.link}
                aria-label={`Save the chart as ${kind.toUpperCase()}`}
                onClick={() =>
                  plot.current &&
                  onSave(plot.current, kind).then(
                    () => setFailure(null),
                    (error) => setFailure(String(error)),
                  )
                }
              >
                {kind.toUpperCase()}
              </button>
            ))}
        </p>
      </div>
      {failure !== null && (
        <Notice failed title="The chart could not be saved">
          {notFetched(failure) ? WHY_NOT_FETCHED : `The browser says: ${failure}`}
        </Notice>
      )}
      {open ? (
        <Scroll label={question} className={css.table} id={id}>
          {asTable}
        </Scroll>
      ) : (
        <div className="vh" id={id}>
          {asTable}
        </div>
      )}
    </figure>
  )
}
