import { spacingIn } from './textSpacing'

/** Widths of labels before they are drawn: Inter at 11 and 12 px, rounded up, and as far apart as the reader has letters
 * set, so that labels do not collide. */
export const textWidth = (text: string, size = 11): number =>
  size * Math.max(text.length * LETTER, wide(text)) + spacingIn(text, size)

/** The width of an average letter, relative to the type's size. */
const LETTER = 0.56

/** Of names that are no usual words: figures, capitals, signs of other scripts. */
const wide = (text: string): number => [...text].reduce((sum, sign) => sum + widthOf(sign), 0)

function widthOf(sign: string): number {
  if (/[ijlI.,:;'|! ]/.test(sign)) return 0.3
  if (/[frt()[\]{}/\\"\-*]/.test(sign)) return 0.42
  if (/[mwM…]/.test(sign)) return 0.92
  if (/[W@%]/.test(sign)) return 1
  if (/[CDGHNOQU]/.test(sign)) return 0.76
  if (/[A-Z]/.test(sign)) return 0.7
  if (/\d/.test(sign)) return 0.65
  if (/\p{Emoji_Presentation}/u.test(sign)) return 1.3
  if (/[ÆŒŴæœЖМФШЩЫЮжмфшщыю—→]/.test(sign)) return 1.1
  if (/\p{Lu}/u.test(sign)) return 0.8
  if (/[#$&+<=>~×\u0370-\u2e7f]/.test(sign)) return 0.67
  return sign < '\u0370' ? 0.62 : 1
}

export const fits = (text: string, room: number, size = 11): boolean => textWidth(text, size) <= room

/** What is said with as many letters beside a "…" as have room, and with a few where none have. */
function longest(said: (letters: number) => string, room: number, size: number): string {
  let letters = Math.max(FEWEST, Math.floor(room / (size * LETTER)) - 1)
  while (letters > FEWEST && !fits(said(letters), room, size)) letters -= 1
  return said(letters)
}

const FEWEST = 4

/** As `slice`, with no sign cut in two that is two of UTF-16. */
const part = (text: string, from: number, to?: number): string => [...text].slice(from, to).join('')

/** A label that fits its room: of words those at its beginning say most. */
export const begun = (text: string, room: number, size = 11): string =>
  fits(text, room, size) ? text : longest((most) => `${part(text, 0, most).trimEnd()}…`, room, size)

/** The same of a file's name, whose end says more than its middle. */
export const clipped = (text: string, room: number, size = 11): string =>
  fits(text, room, size) ? text : longest((most) => withoutMiddle(text, most), room, size)

function withoutMiddle(text: string, most: number): string {
  const tail = Math.floor(most / 2)
  return `${part(text, 0, most - tail)}…${part(text, -tail)}`
}

/** Names below one another, each in its room. Words with which all of them end tell none from another: they go first. */
export function clippedAll(texts: readonly string[], room: number, size = 11): readonly string[] {
  const words = texts.map((text) => text.split(' '))
  const [first = []] = words
  const most = Math.min(...words.map(({ length }) => length)) - 1
  let alike = 0
  const isAlike = (back: number) => words.every((one) => one.at(-back) === first.at(-back))
  while (texts.length > 1 && alike < most && isAlike(alike + 1)) alike += 1
  return texts.map((text, at) =>
    fits(text, room, size) ? text : clipped(withoutLast(words[at] ?? [], alike), room, size),
  )
}

/** Without so many of its last words, and a comma that led to them. */
const withoutLast = (words: readonly string[], alike: number): string =>
  alike === 0
    ? words.join(' ')
    : words
        .slice(0, -alike)
        .join(' ')
        .replace(/[,;:]$/, '')

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
