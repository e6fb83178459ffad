import { sourceName } from '../analysis/caseDocument'
import type { Where } from '../api/types'
import { useCase } from '../findings/CaseContext'
import { linesWords } from '../format'
import button from '../ui/Button.module.css'
import css from './Sources.module.css'

/** Opens the lines a row was read from. */
export function Place({ where }: { where: Where }) {
  const { document, show } = useCase()
  const { at } = where
  const name = sourceName(document, where.source)
  const words = at.kind === 'counter' ? at.counter : linesWords(at.first, at.last)
  return (
    <button
      type="button"
      className={`${button.link} ${css.place}`}
      title={`${words} of ${name}`}
      onClick={() => show(where)}
    >
      {words}
      <span className="vh"> of {name}</span>
    </button>
  )
}
