import { lazy, useState } from 'react'
import button from '../../ui/Button.module.css'
import { LatePart } from '../../ui/LatePart'

const Formats = lazy(() => import('./ExportFormats'))

/** Opens the formats in which a case can be taken away. */
export function Export() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={button.bare} onClick={() => setOpen(true)}>
        Export
      </button>
      {open && (
        <LatePart what="The formats">
          <Formats onClose={() => setOpen(false)} />
        </LatePart>
      )}
    </>
  )
}
