import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import css from './linked.module.css'

/** What marks of several charts and a finding may have in common. Ranks from `id` to `last`; seconds into the run. */
export type Link =
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'rank'; readonly id: number; readonly last?: number }
  | { readonly kind: 'ost'; readonly id: number }
  | { readonly kind: 'direction'; readonly id: 'read' | 'write' }
  | { readonly kind: 'time'; readonly id: number }
export type Links = readonly Link[]

/** A finding shows what it is about; only a chart, or a name, shows which findings are about it. */
type By = 'finding' | 'chart'

interface Linked {
  /** Pointed at or focused; else what was pressed; else what the opened finding is about. */
  readonly shown: Links
  readonly by: By
  /** Whether a pointer or the focus shows it, and it goes with them. */
  readonly pointed: boolean
  /** Whether something was pressed or opened that stays. */
  readonly kept: boolean
  readonly pressed: Link | null
  readonly point: (links: Links, by?: By) => void
  readonly press: (link: Link) => void
  readonly showAll: () => void
}

const NOTHING: Links = []
const Context = createContext<Linked>({
  shown: NOTHING,
  by: 'chart',
  pointed: false,
  kept: false,
  pressed: null,
  point: () => {},
  press: () => {},
  showAll: () => {},
})
/** Apart from the rest: it changes with every step of the pointer, and few marks follow it. */
const Time = createContext<number | null>(null)

/** Whether they mean the same; ranks do where they overlap. */
const meets = (a: Link, b: Link): boolean =>
  a.kind === 'rank' && b.kind === 'rank'
    ? a.id <= (b.last ?? b.id) && b.id <= (a.last ?? a.id)
    : a.kind === b.kind && a.id === b.id
const meetAny = (some: Links, others: Links) => some.some((a) => others.some((b) => meets(a, b)))
const sameLinks = (a: Links, b: Links) => JSON.stringify(a) === JSON.stringify(b)

const ofKind = (links: Links, kind: Link['kind']) => links.filter((link) => link.kind === kind)

/** Of every kind that is shown and that the mark has, it must have one that is shown. */
const fades = (mine: Links, shown: Links) =>
  mine.some(({ kind }) => {
    const wanted = ofKind(shown, kind)
    return wanted.length > 0 && !meetAny(ofKind(mine, kind), wanted)
  })

/** Around the charts and findings of one case. What stays in the charts is what was `pressed`, else `opened`, what the finding
 * that a person opened is about, unless `all` is to be seen. */
export function LinkedProvider({
  opened = NOTHING,
  pressed = null,
  all = false,
  onPress,
  onShowAll,
  children,
}: {
  opened?: Links
  pressed?: Link | null
  all?: boolean
  /** Null where what was pressed is pressed again. */
  onPress?: (link: Link | null) => void
  onShowAll?: () => void
  children: ReactNode
}) {
  const [pointed, setPointed] = useState<{ readonly links: Links; readonly by: By }>({
    links: NOTHING,
    by: 'chart',
  })
  const [time, setTime] = useState<number | null>(null)
  const point = useCallback((links: Links, by: By = 'chart') => {
    setTime(links.find((link) => link.kind === 'time')?.id ?? null)
    const others = links.filter((link) => link.kind !== 'time')
    setPointed((old) => (old.by === by && sameLinks(old.links, others) ? old : { links: others, by }))
  }, [])
  const telling = useRef({ onPress, onShowAll })
  telling.current = { onPress, onShowAll }
  const press = useCallback(
    (link: Link) => telling.current.onPress?.(pressed && sameLinks([pressed], [link]) ? null : link),
    [pressed],
  )
  const showAll = useCallback(() => telling.current.onShowAll?.(), [])
  const value = useMemo((): Linked => {
    const stays = pressed ? [pressed] : all ? NOTHING : opened
    const rest = { kept: stays.length > 0, pressed, point, press, showAll }
    if (pointed.links.length > 0) return { ...rest, shown: pointed.links, by: pointed.by, pointed: true }
    return { ...rest, shown: stays, by: pressed ? 'chart' : 'finding', pointed: false }
  }, [pointed, pressed, all, opened, point, press, showAll])
  return (
    <Context.Provider value={value}>
      <Time.Provider value={time ?? (pressed?.kind === 'time' ? pressed.id : null)}>{children}</Time.Provider>
    </Context.Provider>
  )
}

/** The class and handlers of a mark that stands for `links`: it fades while another of their kind is shown. What it
 * points at is what it is, and whether it reads or writes only where it is nothing else. */
export function useMarks() {
  const { shown, pointed, point } = useContext(Context)
  return useMemo(
    () =>
      (links: Link | Links, className = '') => {
        const mine = 'kind' in links ? [links] : links
        const things = mine.filter((link) => link.kind !== 'direction')
        const faded = fades(mine, shown) ? (pointed ? css.faded : css.behind) : ''
        return {
          className: `${className} ${css.mark} ${faded}`,
          onPointerEnter: () => point(things.length > 0 ? things : mine),
          onPointerLeave: () => point(NOTHING),
        }
      },
    [shown, pointed, point],
  )
}

/** What is shown in every chart, and how to point at something. */
export function useShown() {
  const { shown, kept, point, showAll } = useContext(Context)
  return { shown, kept, point, showAll, hits: (link: Link) => shown.some((other) => meets(link, other)) }
}

/** Seconds into the run that are pointed at. */
export const useTime = (): number | null => useContext(Time)

/** What stands for a finding about `links`: the handlers that show them in the charts, and whether a chart points
 * at one of them. */
export function useAbout(links: Links) {
  const { shown, by, point } = useContext(Context)
  const enter = () => point(links, 'finding')
  const leave = () => point(NOTHING)
  return {
    hit: by === 'chart' && meetAny(links, shown),
    handlers: links.length > 0 && {
      onPointerEnter: enter,
      onPointerLeave: leave,
      onFocus: enter,
      onBlur: leave,
    },
  }
}

/** A name that shows its marks in every chart while the pointer or the focus is on it; pressed, they stay. */
export function LinkedName({
  link,
  children,
  className = css.name,
}: {
  link: Link
  children: ReactNode
  className?: string | undefined
}) {
  const { pressed, point, press } = useContext(Context)
  const enter = () => point([link])
  const leave = () => point(NOTHING)
  return (
    <button
      type="button"
      className={className}
      aria-pressed={pressed !== null && sameLinks([pressed], [link])}
      title="Show it in every chart"
      onPointerEnter={enter}
      onPointerLeave={leave}
      onFocus={enter}
      onBlur={leave}
      onClick={() => press(link)}
    >
      {children}
    </button>
  )
}
