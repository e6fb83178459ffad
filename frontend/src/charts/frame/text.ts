/** Widths of labels before they are drawn: Inter at 11 and 12 px, rounded up, so that labels do not collide. */
export const textWidth = (text: string, size = 11): number => text.length * size * 0.56

export const fits = (text: string, room: number, size = 11): boolean => textWidth(text, size) <= room

/** A label that fits its room; the end of a file's name says more than its middle. */
export function clipped(text: string, room: number, size = 11): string {
  if (fits(text, room, size)) return text
  const most = Math.max(4, Math.floor(room / (size * 0.56)) - 1)
  const tail = Math.floor(most / 2)
  return `${text.slice(0, most - tail)}…${text.slice(-tail)}`
}

/** As many of the words as have room, one after another, from the first; a "…" for the others, which a table has. Where the first has no
 * room beside that, it is cut in its middle: its figure stands at its end. */
export function listed(words: readonly string[], room: number, size = 11): string {
  const whole = words.join(', ')
  if (fits(whole, room, size)) return whole
  const [first = '', ...others] = words
  if (others.length === 0) return clipped(first, room, size)
  let said = clipped(first, room - textWidth(', …', size), size)
  for (const next of others) {
    if (!fits(`${said}, ${next}, …`, room, size)) break
    said = `${said}, ${next}`
  }
  return `${said}, …`
}
