import css from './Plane.module.css'

/** Time of which nothing is known, hatched to the right edge: an empty stretch would say that nothing happened. */
export function Unknown({ from, width }: { from: number; width: number }) {
  if (from >= width) return null
  const wide = width - Math.max(0, from)
  return (
    <i className={css.unknown} style={{ width: wide }} title="The trace ends before the run does">
      {wide > 110 && <span>not recorded</span>}
    </i>
  )
}
