/** A part of a line of code: a word that a browser would break within, after a hyphen or a slash, or what is between. */
interface Part {
  text: string
  breaks: boolean
}

const BREAKS_WITHIN = /[-/?]/

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
