import { numbersIn } from './numbers'
import type { Box, FieldText, Painted, Rgb, Snapshot, TextLine } from './snapshot'

type FaultKind =
  | 'overlap'
  | 'clipped'
  | 'cut'
  | 'outside'
  | 'letter by letter'
  | 'number'
  | 'empty'
  | 'contrast'
  | 'sideways'
  | 'no cue'
  | 'redrawn'
  | 'separator'
  | 'control'
  | 'layout shift'
  | 'barrier'
  | 'console'

export interface Fault {
  readonly kind: FaultKind
  readonly where: string
  readonly what: string
}

/** Pixels by which edges may differ before anybody sees it. */
const NEAR = 1.5
/** A line's box is taller than its letters by about this share above and below. */
const LEADING = 0.22

/** Everything that a person would find wrong with how a page is set. */
export const faultsOf = (page: Snapshot): readonly Fault[] => [
  ...overlaps(page.lines.filter(isSeen)),
  ...letterByLetter(page.lines),
  ...page.lines.filter(isSeen).flatMap((line) => [...clipped(line), ...cut(line), ...outside(line)]),
  ...faintIn(page),
  ...page.passages.flatMap(({ text, where }) =>
    numbersIn(text).map((what): Fault => ({ kind: 'number', where, what })),
  ),
  ...page.empty.map((where): Fault => ({ kind: 'empty', where, what: '' })),
  ...page.uncued.map((where): Fault => ({ kind: 'no cue', where, what: 'more of it is beyond the edge' })),
  ...page.redrawn.map((where): Fault => ({ kind: 'redrawn', where, what: 'by ligatures' })),
  ...page.separated.map((where): Fault => ({ kind: 'separator', where, what: 'a line begins with it' })),
  ...(page.sideways > 0
    ? [{ kind: 'sideways', where: 'page', what: `${page.sideways} px` } satisfies Fault]
    : []),
]

/** Texts that are too faint to be read, in each theme that was asked for. */
export const faintIn = (page: Snapshot): readonly Fault[] =>
  [...page.lines.filter(isSeen), ...page.fields].flatMap(faint)

/** Paper cannot be pressed: what is chosen is read there as words. */
export const faultsOnPaper = (page: Snapshot): readonly Fault[] => [
  ...faultsOf(page),
  ...page.controls.map((where): Fault => ({ kind: 'control', where, what: 'on paper' })),
]

const letters = ({ box }: TextLine): Box => {
  const leading = (box.bottom - box.top) * LEADING
  return { ...box, top: box.top + leading, bottom: box.bottom - leading }
}

function meet(a: Box, b: Box | null): Box {
  if (b === null) return a
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

const width = ({ left, right }: Box) => right - left
const height = ({ top, bottom }: Box) => bottom - top

/** What is left of it inside of all that cuts it or can be scrolled. */
const seen = (line: TextLine): Box => meet(meet(letters(line), line.cutBy), line.scrolledBy)
const isSeen = (line: TextLine): boolean => width(seen(line)) > 1 && height(seen(line)) > 1

function overlaps(lines: readonly TextLine[]): Fault[] {
  const found: Fault[] = []
  const sorted = lines.map((line) => ({ line, box: seen(line) })).sort((a, b) => a.box.top - b.box.top)
  sorted.forEach(({ line, box }, i) => {
    for (let j = i + 1; j < sorted.length; j += 1) {
      const other = sorted[j]
      if (!other || other.box.top >= box.bottom) break
      const both = meet(box, other.box)
      if (line.of === other.line.of || width(both) <= NEAR || height(both) <= NEAR) continue
      found.push({ kind: 'overlap', where: line.where, what: `“${line.text}” and “${other.line.text}”` })
    }
  })
  return found
}

/** A column so narrow that its words are broken into letters. */
function letterByLetter(lines: readonly TextLine[]): Fault[] {
  const all = new Map<number, TextLine[]>()
  for (const line of lines) all.set(line.of, [...(all.get(line.of) ?? []), line])
  return [...all.values()].flatMap((parts): Fault[] => {
    const [first] = parts
    if (!first || parts.length < 4 || first.text.length >= 3 * parts.length) return []
    return [{ kind: 'letter by letter', where: first.where, what: `${first.text} in ${parts.length} lines` }]
  })
}

/** Half a letter is gone, and nothing says that there is more. */
function clipped(line: TextLine): Fault[] {
  const { cutBy, cut } = line
  if (cutBy === null || cut) return []
  const whole = letters(line)
  const left = meet(whole, cutBy)
  const gone = width(whole) - width(left) > NEAR || height(whole) - height(left) > NEAR
  return gone ? [{ kind: 'clipped', where: line.where, what: line.text }] : []
}

/** Shortened: a number or a duration never, a text only where hovering says the whole. */
function cut(line: TextLine): Fault[] {
  const short = line.cut || /\S…$/.test(line.text)
  const told = line.told && !/^(?=.*\d)(?:\d+\s(?:h|min)\s)?(?:\d{1,4}|\d*[.,][\d.,]*)…?$/.test(line.text)
  return short && !told && (line.cut || line.drawn)
    ? [{ kind: 'cut', where: line.where, what: line.text }]
    : []
}

function outside(line: TextLine): Fault[] {
  const { home, box, scrolledBy, drawn } = line
  const near = drawn ? 4 * NEAR : NEAR
  const beyond = Math.max(home.left - box.left, box.right - home.right)
  const below = drawn ? Math.max(home.top - letters(line).top, letters(line).bottom - home.bottom) : 0
  if (scrolledBy !== null || line.cut || Math.max(beyond, below) <= near) return []
  return [
    { kind: 'outside', where: line.where, what: `${line.text} (${Math.round(Math.max(beyond, below))} px)` },
  ]
}

/** https://www.w3.org/TR/WCAG22/#contrast-minimum */
function faint({ painted, sizePx, bold, text, where }: FieldText): Fault[] {
  const large = sizePx >= 24 || (bold && sizePx >= 18.66)
  return painted.flatMap(({ theme, colour, behind }: Painted): Fault[] => {
    const ratio = behind === null ? Infinity : contrast(colour, behind)
    if (ratio >= (large ? 3 : 4.5)) return []
    return [{ kind: 'contrast', where, what: `${ratio.toFixed(2)}: ${text} (${theme})` }]
  })
}

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance([r, g, b]: Rgb): number {
  const linear = (channel: number) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}
