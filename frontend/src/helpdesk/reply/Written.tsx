import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Skeleton } from '../../ui/Notice'
import css from './Written.module.css'

type SafeMarkup = typeof import('./safeMarkup')
let come: SafeMarkup | null = null

/** What shows a text of somebody's safely; null until it is wanted and has come. */
export function useSafeMarkup(wanted: boolean): SafeMarkup | null {
  const [markup, setMarkup] = useState(come)
  useEffect(() => {
    if (!wanted) return
    let gone = false
    import('./safeMarkup').then((module) => {
      come = module
      if (!gone) setMarkup(module)
    })
    return () => {
      gone = true
    }
  }, [wanted])
  return markup
}

/** A text of somebody's in Markdown or HTML, as it reads. */
export function Written({ text, as, label }: { text: string; as: 'markdown' | 'html'; label?: string }) {
  const place = useRef<HTMLDivElement>(null)
  const markup = useSafeMarkup(true)
  // Before the page is drawn: what stands below is not to move.
  useLayoutEffect(() => {
    if (markup === null) return
    place.current?.replaceChildren(as === 'html' ? markup.fromHtml(text) : markup.fromMarkdown(text))
  }, [markup, text, as])
  return (
    <>
      {markup === null && <Skeleton height={60} />}
      <div
        ref={place}
        className={css.written}
        {...(label !== undefined && { role: 'region', 'aria-label': label })}
      />
    </>
  )
}
