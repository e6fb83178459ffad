import { createContext, type ReactNode, useContext } from 'react'
import css from './Sources.module.css'

interface Opened {
  readonly isOpen: (id: string) => boolean
  readonly toggle: (id: string) => void
}

const Context = createContext<Opened>({ isOpen: () => false, toggle: () => {} })

export const OpenedKinds = Context.Provider

/** One kind of evidence: a line that opens. */
export function Kind({
  id,
  title,
  says,
  differs = false,
  children,
}: {
  id: string
  title: string
  /** What is to be seen inside, in a few words. */
  says: ReactNode
  /** Something here wants to be looked at. */
  differs?: boolean
  children: ReactNode
}) {
  const { isOpen, toggle } = useContext(Context)
  const open = isOpen(id)
  return (
    <details className={css.kind} id={`said-${id}`} open={open}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button to browsers and readers */}
      <summary
        onClick={(event) => {
          event.preventDefault()
          toggle(id)
        }}
      >
        <h3>{title}</h3>
        <span className={differs ? css.differs : css.says}>{says}</span>
      </summary>
      {open && <div className={css.body}>{children}</div>}
    </details>
  )
}

/** One list, block or report within a kind: what it is of, and where it stands. */
export function Block({
  title,
  about,
  children,
}: {
  title: ReactNode
  about?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={css.block}>
      <h4>{title}</h4>
      {about && <p className={css.about}>{about}</p>}
      {children}
    </div>
  )
}

export interface Fact {
  readonly name: string
  readonly value: ReactNode
  readonly place?: ReactNode
}

/** Facts of a report or a job, each with the line it stands on; those that are not told are left out. */
export function Facts({ facts }: { facts: readonly (Fact | false | null)[] }) {
  return (
    <dl className={css.facts}>
      {facts
        .filter((fact) => fact !== false && fact !== null)
        .map(({ name, value, place }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value} {place}
            </dd>
          </div>
        ))}
    </dl>
  )
}
