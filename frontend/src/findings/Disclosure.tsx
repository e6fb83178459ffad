import type { ReactNode } from 'react'
import { type Links, useAbout } from '../charts/frame/linked'
import { type Mark, SeverityMark } from '../ui/Severity'
import { usePrinting } from '../ui/usePrinting'
import { useCase } from './CaseContext'
import css from './FindingRow.module.css'
import { anchorOf } from './keys'

const NOTHING: Links = []
const WRONG: ReadonlySet<Mark> = new Set(['high', 'medium', 'low'])

/** One line that opens. The address remembers which one was opened last. */
export function Disclosure({
  name,
  mark,
  title,
  how,
  impact,
  quiet = false,
  about = NOTHING,
  children,
}: {
  /** The key of a finding, or the name of a group of them. */
  name: string
  mark: Mark
  title: ReactNode
  how: ReactNode
  impact?: ReactNode
  quiet?: boolean
  /** What the charts highlight while the pointer or the focus is on this line. */
  about?: Links
  children: ReactNode
}) {
  const { isOpen, toggle } = useCase()
  const printing = usePrinting()
  // On paper what is wrong stands open: nobody can unfold it there.
  const open = isOpen(name) || (printing && !quiet && WRONG.has(mark))
  const { hit, handlers } = useAbout(about)
  return (
    <details
      className={`${css.finding} ${quiet ? css.quiet : ''} ${hit ? css.linked : ''}`}
      id={anchorOf(name)}
      open={open}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button to browsers and readers */}
      <summary
        {...handlers}
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
