import { Link } from '@tanstack/react-router'
import { useGuest } from '../../access/queries'
import { saidOf } from '../../analysis/headline'
import { EXPORTED_CASE } from '../../api/embedded'
import type { CaseView } from '../../api/types'
import { useCase } from '../../findings/CaseContext'
import { plural, unbroken } from '../../format'
import { BothEnds } from '../../ui/BothEnds'
import crumb from '../../ui/Crumb.module.css'
import { DOT } from '../../ui/Dotted'
import { SeverityMark } from '../../ui/Severity'
import css from './Brief.module.css'

/** The verdict in one line, above the views that show everything. */
export function Brief({ view }: { view: CaseView }) {
  const { caseId, document, settings } = useCase()
  const alone = useGuest() || EXPORTED_CASE !== null
  const moved = [...settings.values()].filter((s) => s.changed).length
  return (
    <div className={css.brief}>
      <p className={crumb.crumb}>
        {!alone && (
          <>
            <Link to="/">Cases</Link> <span aria-hidden="true">/</span>{' '}
          </>
        )}
        <span title={view.title}>
          <BothEnds name={view.title} />
        </span>
        {moved > 0 && (
          <b>
            {DOT}judged with {plural(moved, 'threshold')} moved
          </b>
        )}
      </p>
      <h1 className={css.sentence}>
        <SeverityMark mark={document.headline.severity} />
        <Link to="/cases/$caseId" params={{ caseId }} search={(old) => old}>
          {unbroken(saidOf(document.headline))}
        </Link>
      </h1>
    </div>
  )
}
