import type { ReactNode } from 'react'
import button from '../ui/Button.module.css'
import { type Box, middle, moved, zoomed } from './box'
import css from './Plane.module.css'

/** Share of the whole from which all of it counts as visible. */
const ALL = 0.999

/** The plane's own buttons, for those who have neither wheel nor keys at hand; what is chosen stands before them. */
export function Buttons({
  box,
  full,
  onMove,
  onSelect,
  children,
}: {
  box: Box
  full: Box
  onMove: (box: Box) => void
  onSelect: (box: Box) => void
  children?: ReactNode
}) {
  const zoomedIn = box.t1 - box.t0 < ALL * (full.t1 - full.t0) || box.y1 - box.y0 < ALL * (full.y1 - full.y0)
  const step = (sign: string, name: string, title: string, to: Box, possible: boolean) => (
    <button
      type="button"
      className={button.button}
      onClick={() => onMove(to)}
      disabled={!possible}
      title={title}
    >
      <span aria-hidden="true">{sign}</span>
      <span className="vh">{name}</span>
    </button>
  )
  return (
    <div className={css.bar}>
      <div className={css.choices}>{children}</div>
      <div className={`${css.zoom} screen`}>
        {step('←', 'Earlier', 'Earlier', moved(box, -0.5, 0), zoomedIn)}
        {step('→', 'Later', 'Later', moved(box, 0.5, 0), zoomedIn)}
        {step('+', 'Closer', 'Closer in time', zoomed(box, middle(box), 0.5, 1), true)}
        {step('−', 'Farther', 'Farther', zoomed(box, middle(box), 2, 2), zoomedIn)}
        <button type="button" className={button.button} onClick={() => onMove(full)} disabled={!zoomedIn}>
          Whole run
        </button>
        <button type="button" className={button.button} onClick={() => onSelect(box)}>
          Select what is in view
        </button>
      </div>
    </div>
  )
}
