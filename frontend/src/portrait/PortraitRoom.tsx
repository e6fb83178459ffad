import { lazy, Suspense } from 'react'
import css from './Portrait.module.css'

/** Loaded separately, so that no page waits for its picture. */
const CasePortrait = lazy(() => import('./CasePortrait'))

/** The room of a portrait, which is the same before it is there. */
export const PortraitRoom = ({ caseId }: { caseId: string }) => (
  <span className={css.room}>
    <Suspense>
      <CasePortrait caseId={caseId} />
    </Suspense>
  </span>
)
