import type { ReactNode } from 'react'
import css from './Notice.module.css'

/** What a person must know before the rest: what happened, what was expected, the next step. */
export function Notice({
  title,
  failed = false,
  children,
  actions,
}: {
  title: string
  failed?: boolean
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className={failed ? css.failed : css.notice} role={failed ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  )
}

/** Out of sight while it waits, in its own place: what comes above it moves nothing that was seen. */
export const Reserved = ({ waits, children }: { waits: boolean; children: ReactNode }) => (
  <div className={waits ? css.reserved : undefined}>{children}</div>
)

/** Keeps the place of what is being read, so that nothing moves when it comes. */
export function Skeleton({
  width = '100%',
  height = 20,
}: {
  width?: number | string
  height?: number | string
}) {
  return <span className={css.skeleton} style={{ width, height }} aria-hidden="true" />
}
