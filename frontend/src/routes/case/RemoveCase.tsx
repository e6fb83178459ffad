import { lazy, useState } from 'react'
import { EXPORTED_CASE } from '../../api/embedded'
import type { CaseView } from '../../api/types'
import { LatePart } from '../../ui/LatePart'

/** Opened by a click. */
const RemovePanel = lazy(() => import('./RemovePanel').then((module) => ({ default: module.RemovePanel })))

/** The way to be rid of a case, with a diagnosis or without; samples stay. */
export function RemoveCase({ view, className }: { view: CaseView; className: string }) {
  const [asked, setAsked] = useState(false)
  if (view.sample || EXPORTED_CASE !== null) return null
  return (
    <>
      <button type="button" className={className} onClick={() => setAsked(true)}>
        Remove this case
      </button>
      {asked && (
        <LatePart what="What goes with it">
          <RemovePanel view={view} onClose={() => setAsked(false)} />
        </LatePart>
      )}
    </>
  )
}
