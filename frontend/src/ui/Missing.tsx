import css from './Missing.module.css'

/** A quantity that is not there: hatched, with its reason. Never zero. */
export function Missing({
  children = 'not recorded',
  reason,
}: {
  children?: string
  reason?: string | null
}) {
  return (
    <span className={css.missing} title={reason ?? undefined}>
      {children}
    </span>
  )
}
