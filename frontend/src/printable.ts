/** The categories of `UNPRINTABLE` in `metrics/core/printable.py`. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** A name from a log as one line of printable text, as `printable` there: a control or a mark of direction is seen. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const hex = (digits: number) => code.toString(16).padStart(digits, '0')
  return code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`
}
