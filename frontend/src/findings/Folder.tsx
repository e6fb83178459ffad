import type { ReactNode } from 'react'
import { type Mark, SeverityMark } from '../ui/Severity'
import { useCase } from './CaseContext'
import css from './FindingRow.module.css'
import { anchorOf } from './keys'

/** One line that opens. The address remembers which one was opened last. */
export function Folder({
  name,
  mark,
  title,
  how,
  impact,
  quiet = false,
  children,
}: {
  /** Key of a finding, or the name of a group of them. */
  name: string
  mark: Mark
  title: ReactNode
  how: ReactNode
  impact?: ReactNode
  quiet?: boolean
  children: ReactNode
}) {
  const { isOpen, toggle } = useCase()
  const open = isOpen(name)
  return (
    <details className={`${css.finding} ${quiet ? css.quiet : ''}`} id={anchorOf(name)} open={open}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button to browsers and readers */}
      <summary
        onClick={(event) => {
          event.preventDefault()
          toggle(name)
        }}
      >
        <SeverityMark mark={mark} />
        <h3>{title}</h3>
        <span className={css.how}>{how}</span>
        <span className={css.impact}>{impact}</span>
      </summary>
      {open && <div className={css.body}>{children}</div>}
    </details>
  )
}
