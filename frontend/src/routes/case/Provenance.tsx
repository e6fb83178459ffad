import { Link } from '@tanstack/react-router'
import type { CaseDocument } from '../../analysis/caseDocument'
import type { CaseView } from '../../api/types'
import { moment } from '../../format'
import button from '../../ui/Button.module.css'
import css from '../Case.module.css'
import { RemoveCase } from './RemoveCase'

/** What made the document, so that it can be read, or computed again, a year later. */
export function Provenance({ view, document }: { view: CaseView; document: CaseDocument }) {
  const { made_by } = document
  return (
    <div className={css.made}>
      <span>Added {moment(view.created_at)}</span>
      <span>IOtriage {made_by.iotriage}</span>
      {view.stale === 'pending' && <span>an earlier version found this: the case is being read again</span>}
      {view.stale === 'given-up' && (
        <span>an earlier version found this: the case could not be read again</span>
      )}
      {view.sources.some((source) => source.gone_at !== null) && (
        <span>its files were kept long enough and are gone: this document is what is left</span>
      )}
      <Link to="/sites/$siteId" params={{ siteId: document.site.id }}>
        site {document.site.title}
      </Link>
      <RemoveCase view={view} className={`${button.link} screen`} />
    </div>
  )
}
