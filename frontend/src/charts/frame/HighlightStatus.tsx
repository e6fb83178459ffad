import type { CaseDocument } from '../../analysis/caseDocument'
import button from '../../ui/Button.module.css'
import { useShown } from './linked'
import css from './linked.module.css'
import { linkName } from './linkName'

/** Says what all charts highlight now, with a way back. It is not announced to screen readers, which have just read
 * the name that was pressed. */
export function HighlightStatus({ document }: { document: CaseDocument }) {
  const { shown, kept, showAll } = useShown()
  const names = shown.map((link) => linkName(link, document)).join(', ')
  return (
    <p className={css.now}>
      <span
        aria-hidden="true"
        className={shown.length === 0 ? css.hint : undefined}
        title={names || undefined}
      >
        {shown.length === 0 ? (
          'Point at a finding, a file or a rank to see it in every chart.'
        ) : (
          <>
            In every chart: <b>{names}</b>
          </>
        )}
      </span>
      {kept && <span className={css.whole}>sentences and scales are the whole job's</span>}
      <button type="button" className={button.link} aria-disabled={!kept} onClick={showAll}>
        Show everything
      </button>
    </p>
  )
}
