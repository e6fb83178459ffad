/** A part of a line of code: a word that may be broken within, after a sign that joins what it is made of, or what is between. */
interface Part {
  text: string
  breaks: boolean
}

const BREAKS_WITHIN = /[-/?,:=(]/
/** Behind a slash between two names, and behind a comma, a colon, an equals sign or the name of a call that more follows. */
const JOINTS = /(?<=[^,:="]\/)(?=[^/,:=])|(?<=[,:=]|\w\()(?=[^,:=)])(?!\/\/)/

/** What a word is made of, for where it is longer than a line: a path goes on with its next name, a list with its next item. */
export const piecesOf = (word: string): readonly string[] => word.split(JOINTS)

/** The line's parts, which joined are the line. A word that stands at a line's end in two is read as two. */
export function partsOf(line: string): Part[] {
  const parts: Part[] = []
  for (const text of line.match(/\s+|\S+/g) ?? ['']) {
    const breaks = text.length > 1 && BREAKS_WITHIN.test(text)
    const last = parts.at(-1)
    if (last && !last.breaks && !breaks) last.text += text
    else parts.push({ text, breaks })
  }
  return parts
}
