import { lazy, useState } from 'react'
import button from '../ui/Button.module.css'
import { LatePart } from '../ui/LatePart'
import { useGuest } from './queries'

const Links = lazy(() => import('./ShareLinks'))

/** Opens the links that show the case to people who have no account here. */
export function Share({ caseId }: { caseId: string }) {
  const [open, setOpen] = useState(false)
  const guest = useGuest()
  if (guest) return null
  return (
    <>
      <button type="button" className={button.bare} onClick={() => setOpen(true)}>
        Share
      </button>
      {open && (
        <LatePart what="The links">
          <Links caseId={caseId} onClose={() => setOpen(false)} />
        </LatePart>
      )}
    </>
  )
}
