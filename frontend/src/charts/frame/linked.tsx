import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import css from './linked.module.css'

/** What marks of several pictures and a finding may have in common. */
export type Link =
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'rank'; readonly id: number }
  | { readonly kind: 'direction'; readonly id: 'read' | 'write' }

interface Linked {
  /** Pointed at or focused; else what was pressed. */
  readonly current: Link | null
  readonly pressed: Link | null
  readonly point: (link: Link | null) => void
  readonly press: (link: Link) => void
}

const Context = createContext<Linked>({ current: null, pressed: null, point: () => {}, press: () => {} })

const same = (a: Link | null, b: Link | null) =>
  a !== null && b !== null && a.kind === b.kind && a.id === b.id

/** Around the pictures and findings of one case. */
export function LinkedProvider({ children }: { children: ReactNode }) {
  const [pointed, point] = useState<Link | null>(null)
  const [pressed, setPressed] = useState<Link | null>(null)
  const press = useCallback((link: Link) => setPressed((old) => (same(old, link) ? null : link)), [])
  const value = useMemo(
    () => ({ current: pointed ?? pressed, pressed, point, press }),
    [pointed, pressed, press],
  )
  return <Context.Provider value={value}>{children}</Context.Provider>
}

/** The class and handlers of a mark that stands for `links`: it fades while another of their kind is pointed at. */
export function useMarks() {
  const { current, point } = useContext(Context)
  return useMemo(
    () =>
      (links: Link | readonly Link[], className = '') => {
        const mine = 'kind' in links ? [links] : links
        const rivals = current !== null && mine.some((link) => link.kind === current.kind)
        const hit = mine.some((link) => same(link, current))
        return {
          className: `${className} ${css.mark} ${rivals && !hit ? css.faded : ''}`,
          onPointerEnter: () => point(mine[0] ?? null),
          onPointerLeave: () => point(null),
        }
      },
    [current, point],
  )
}

/** What is pointed at, or was pressed. */
export const usePointed = (): Link | null => useContext(Context).current

/** Whether `link` is what is pointed at, and how to point at it. */
export function useLink(link: Link | null) {
  const { current, pressed, point, press } = useContext(Context)
  return {
    hit: same(link, current),
    pressed: same(link, pressed),
    enter: () => point(link),
    leave: () => point(null),
    press: () => link !== null && press(link),
  }
}

/** A name that shows its marks in every picture while the pointer or the focus is on it; pressed, they stay. */
export function LinkedName({
  link,
  children,
  className = css.name,
}: {
  link: Link
  children: ReactNode
  className?: string | undefined
}) {
  const { pressed, enter, leave, press } = useLink(link)
  return (
    <button
      type="button"
      className={className}
      aria-pressed={pressed}
      title="Show it in every picture"
      onPointerEnter={enter}
      onPointerLeave={leave}
      onFocus={enter}
      onBlur={leave}
      onClick={press}
    >
      {children}
    </button>
  )
}
