import type { ReactNode } from 'react'
import button from '../ui/Button.module.css'
import css from './Plane.module.css'

/** The plane's own buttons, for those who have neither wheel nor keys at hand; what is chosen stands before them. */
export function Buttons({
  zoomedIn,
  onNearer,
  onFarther,
  onEarlier,
  onLater,
  onWhole,
  onSelect,
  children,
}: {
  zoomedIn: boolean
  onNearer: () => void
  onFarther: () => void
  onEarlier: () => void
  onLater: () => void
  onWhole: () => void
  onSelect: () => void
  children?: ReactNode
}) {
  return (
    <div className={css.bar}>
      <div className={css.choices}>{children}</div>
      <div className={`${css.zoom} screen`}>
        <button
          type="button"
          className={button.button}
          onClick={onEarlier}
          disabled={!zoomedIn}
          title="Earlier"
        >
          <span aria-hidden="true">←</span>
          <span className="vh">Earlier</span>
        </button>
        <button type="button" className={button.button} onClick={onLater} disabled={!zoomedIn} title="Later">
          <span aria-hidden="true">→</span>
          <span className="vh">Later</span>
        </button>
        <button type="button" className={button.button} onClick={onNearer} title="Closer in time">
          <span aria-hidden="true">+</span>
          <span className="vh">Closer</span>
        </button>
        <button
          type="button"
          className={button.button}
          onClick={onFarther}
          disabled={!zoomedIn}
          title="Farther"
        >
          <span aria-hidden="true">−</span>
          <span className="vh">Farther</span>
        </button>
        <button type="button" className={button.button} onClick={onWhole} disabled={!zoomedIn}>
          Whole run
        </button>
        <button type="button" className={button.button} onClick={onSelect}>
          Select what is in view
        </button>
      </div>
    </div>
  )
}
