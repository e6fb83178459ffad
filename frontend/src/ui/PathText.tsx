import { Fragment } from 'react'

const ASCII = /^[ -~]*$/
/** The categories of `UNPRINTABLE` in `rules/core/words.py`. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** A path in the order of its names, whichever way their letters run: two Arabic directories would be drawn as one text, the
 * second before the first. A control or a mark of direction is seen, as in what a terminal is told. */
export function PathText({ path }: { path: string }) {
  if (ASCII.test(path)) return path
  return path.split('/').map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a name is its place in the path
    <Fragment key={at}>
      {at > 0 && '/'}
      <bdi dir="ltr">{printable(name)}</bdi>
    </Fragment>
  ))
}

/** The same as `printable` of `rules/core/words.py`. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const hex = (digits: number) => code.toString(16).padStart(digits, '0')
  return code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`
}
