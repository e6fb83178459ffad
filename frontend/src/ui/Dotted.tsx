import { Children, isValidElement, type ReactNode } from 'react'

/** Stands at the end of what is said, before the next. */
export const BEFORE_A_BREAK = '\u00a0·'

/** Between things that are said in a row: a line may end with it and never begins with it. */
export const DOT = `${BEFORE_A_BREAK} `

/** Each with a dot behind it but the last, as words of one line that breaks where it must. */
export function Dotted({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children)
  return parts.map((one, at) => (
    <span key={isValidElement(one) ? one.key : String(one)}>
      {one}
      {at < parts.length - 1 && DOT}
    </span>
  ))
}
