import css from './Missing.module.css'

/** A quantity that is not there: hatched, with its reason. Never zero. `alone`, where a column of hatches says it: then the
 * words are read out and not seen. */
export function Missing({
  children = 'not recorded',
  reason,
  alone = false,
}: {
  children?: string
  reason?: string | null
  alone?: boolean
}) {
  return (
    <span className={alone ? css.alone : css.missing} title={reason ?? undefined}>
      {alone ? <span className="vh">{reason ?? children}</span> : children}
    </span>
  )
}
