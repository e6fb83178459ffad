import { type ReactNode, useId, useState } from 'react'
import figure from '../charts/frame/chart.module.css'
import { useWidth } from '../charts/frame/useWidth'
import button from '../ui/Button.module.css'
import table from '../ui/Table.module.css'

/** A chart of a comparison: its question, what is to be seen, the plot, and the same as a table. */
export function ComparisonChart({
  question,
  sentence,
  caption,
  head,
  rows,
  children,
}: {
  question: string
  sentence: string
  caption: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
  children: (width: number) => ReactNode
}) {
  const heading = useId()
  const [plot, width] = useWidth<HTMLDivElement>()
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <figure className={figure.figure} aria-labelledby={heading}>
      <h3 id={heading}>{question}</h3>
      <p className={figure.see}>{sentence}</p>
      <div className={figure.plot} ref={plot} aria-hidden="true">
        {children(width)}
      </div>
      <div className={figure.under}>
        <figcaption>{caption}</figcaption>
        <button
          type="button"
          className={button.link}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {open ? 'hide the table' : 'as a table'}
        </button>
      </div>
      <div className={open ? figure.table : 'vh'} id={id}>
        <table className={table.table}>
          <caption className="vh">{question}</caption>
          <thead>
            <tr>
              {head.map((name, i) => (
                <th scope="col" key={name} className={i > 0 ? 'num' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.join('|')}>
                {row.map((cell, i) =>
                  i === 0 ? (
                    <th scope="row" key={head[i]}>
                      {cell}
                    </th>
                  ) : (
                    <td className="num" key={head[i]}>
                      {cell}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
