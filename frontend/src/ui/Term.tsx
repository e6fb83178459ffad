import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { unbroken } from '../format'
import type { Explanation } from './explanations'
import { type GlossaryTerm, termsIn } from './glossary'
import { WHY_NOT_FETCHED } from './LatePart'
import { Sentence } from './lines/Sentence'
import css from './Term.module.css'

/** A word of the field that explains itself under the pointer or the focus; `end` is the punctuation that stays with it. */
function Term({ term, end, children }: { term: GlossaryTerm; end: string; children: string }) {
  const [wanted, setOpen] = useState(false)
  const [explanation, setExplanation] = useState<Explanation | null>(null)
  const open = wanted && explanation !== null
  const note = useRef<HTMLSpanElement>(null)
  const id = useId()
  useEffect(() => {
    if (!wanted) return
    import('./explanations').then(
      ({ EXPLANATIONS }) => setExplanation(EXPLANATIONS[term.id]),
      () =>
        setExplanation({
          text: `could not be explained. ${WHY_NOT_FETCHED}`,
        }),
    )
  }, [wanted, term.id])
  // Kept inside the window: a term may stand at its right end.
  useLayoutEffect(() => {
    const element = note.current
    if (!open || !element) return
    element.style.setProperty('--shift', '0px')
    const { left, right } = element.getBoundingClientRect()
    const over = Math.max(0, right + 8 - document.documentElement.clientWidth)
    element.style.setProperty('--shift', `${-Math.min(over, left - 8)}px`)
  }, [open])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer over word or note; the focus does the same
    <span
      className={css.term}
      onPointerEnter={() => setOpen(true)}
      onPointerLeave={() => setOpen(false)}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      <button
        type="button"
        className={css.word}
        aria-describedby={open ? id : undefined}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      >
        {children}
      </button>
      {end}
      {open && (
        <span role="tooltip" id={id} ref={note} className={css.note}>
          <b>{term.term}</b> {explanation.text}
          {explanation.source && <span className={css.source}>{explanation.source.title}</span>}
        </span>
      )}
    </span>
  )
}

/** A sentence whose terms explain themselves, each where it is said first. */
export function Explained({ children }: { children: string }) {
  let at = 0
  // A unit may be a term: "12 OSTs".
  const parts = termsIn(unbroken(children))
  const endOf = (i: number) => (parts[i]?.term ? (/^[,;.:)]+/.exec(parts[i + 1]?.text ?? '')?.[0] ?? '') : '')
  return parts.map(({ text, term }, i) => {
    const key = at
    at += text.length
    return term ? (
      <Term key={key} term={term} end={endOf(i)}>
        {text}
      </Term>
    ) : (
      <Sentence key={key}>{text.slice(endOf(i - 1).length)}</Sentence>
    )
  })
}
