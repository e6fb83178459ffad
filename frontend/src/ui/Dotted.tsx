import { Children, isValidElement, type ReactNode } from 'react'

/** Stands at the end of what is said, before the next. */
export const BEFORE_A_BREAK = '\u00a0·'

/** Between things that are said in a row: a line may end with it and never begins with it. */
export const DOT = `${BEFORE_A_BREAK} `

/** Each with a dot behind it but the last, as words of one line that breaks where it must. */
export function Dotted({ children }: { children: ReactNode }) {
  const said = Children.toArray(children)
  return said.map((one, at) => (
    <span key={isValidElement(one) ? one.key : String(one)}>
      {one}
      {at < said.length - 1 && DOT}
    </span>
  ))
}
