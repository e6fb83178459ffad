import { Link } from '@tanstack/react-router'
import { saidOf } from '../../analysis/headline'
import { movedCount } from '../../analysis/thresholds'
import type { CaseView } from '../../api/types'
import { useCase } from '../../findings/CaseContext'
import { CaseCrumb } from '../../findings/CaseCrumb'
import { plural, unbroken } from '../../format'
import { DOT } from '../../ui/Dotted'
import { SeverityMark } from '../../ui/Severity'
import css from './Brief.module.css'

/** The verdict in one line, above the views that show everything. */
export function Brief({ view }: { view: CaseView }) {
  const { caseId, document, settings } = useCase()
  const moved = movedCount(settings)
  return (
    <div className={css.brief}>
      <CaseCrumb view={view}>
        {moved > 0 && (
          <b>
            {DOT}judged with {plural(moved, 'threshold')} moved
          </b>
        )}
      </CaseCrumb>
      <h1 className={css.sentence}>
        <SeverityMark mark={document.headline.severity} />
        <Link to="/cases/$caseId" params={{ caseId }} search={(old) => old}>
          {unbroken(saidOf(document.headline))}
        </Link>
      </h1>
    </div>
  )
}
