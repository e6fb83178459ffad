import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import button from './Button.module.css'
import css from './Panel.module.css'

/** A dialog at the side of the page; Escape and a click beside it close it, focus returns where it was. */
export function Panel({
  title,
  about,
  onClose,
  children,
}: {
  title: string
  about?: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Closed while it still stands in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog by itself
    <dialog
      ref={dialog}
      className={css.panel}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className={css.head}>
        <div>
          <h2 id={heading}>{title}</h2>
          {about && <p>{about}</p>}
        </div>
        <button type="button" className={button.button} onClick={onClose}>
          Close
        </button>
      </div>
      <div className={css.content}>{children}</div>
    </dialog>
  )
}
