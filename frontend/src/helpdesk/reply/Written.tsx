import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { WHY_NOT_FETCHED } from '../../ui/LatePart'
import { Skeleton } from '../../ui/Notice'
import css from './Written.module.css'

type SafeMarkup = typeof import('./safeMarkup')
let come: SafeMarkup | null = null

/** What shows a text of somebody's safely; null until it is wanted and has come, and `missing` where it does not. */
export function useSafeMarkup(wanted: boolean): SafeMarkup | 'missing' | null {
  const [markup, setMarkup] = useState<SafeMarkup | 'missing' | null>(come)
  useEffect(() => {
    if (!wanted) return
    let gone = false
    import('./safeMarkup').then(
      (module) => {
        come = module
        if (!gone) setMarkup(module)
      },
      () => {
        if (!gone) setMarkup('missing')
      },
    )
    return () => {
      gone = true
    }
  }, [wanted])
  return markup
}

/** A text of somebody's in Markdown or HTML, as it reads; as it is written, where what shows it does not come. */
export function Written({ text, as, label }: { text: string; as: 'markdown' | 'html'; label?: string }) {
  const place = useRef<HTMLDivElement>(null)
  const markup = useSafeMarkup(true)
  // Before the page is drawn: what stands below is not to move.
  useLayoutEffect(() => {
    if (markup === null) return
    place.current?.replaceChildren(
      markup === 'missing' ? text : as === 'html' ? markup.fromHtml(text) : markup.fromMarkdown(text),
    )
  }, [markup, text, as])
  return (
    <>
      {markup === null && <Skeleton height={60} />}
      {markup === 'missing' && (
        <p className="muted small" role="status">
          As it is written: what shows how it reads could not be fetched. {WHY_NOT_FETCHED}
        </p>
      )}
      <div
        ref={place}
        className={`${css.written} ${markup === 'missing' ? css.plain : ''}`}
        {...(label !== undefined && { role: 'region', 'aria-label': label })}
      />
    </>
  )
}
