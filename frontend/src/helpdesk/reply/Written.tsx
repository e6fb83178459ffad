import { useEffect, useRef, useState } from 'react'
import { Skeleton } from '../../ui/Notice'
import css from './Written.module.css'

/** A text of somebody's in Markdown or HTML, as it reads. What shows it safely comes when it is needed. */
export function Written({ text, as, label }: { text: string; as: 'markdown' | 'html'; label?: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    let gone = false
    import('./safeMarkup').then(({ fromHtml, fromMarkdown }) => {
      if (gone) return
      place.current?.replaceChildren(as === 'html' ? fromHtml(text) : fromMarkdown(text))
      setReady(true)
    })
    return () => {
      gone = true
    }
  }, [text, as])
  return (
    <>
      {!ready && <Skeleton height={60} />}
      <div
        ref={place}
        className={css.written}
        {...(label !== undefined && { role: 'region', 'aria-label': label })}
      />
    </>
  )
}
