/** What is wrong with the quantities of a running text: digits without separators, units that a larger one stands for,
 * powers of ten, values that are none. Identifiers and counts keep their form. */
export const numbersIn = (text: string): readonly string[] =>
  RULES.flatMap(({ wrong, unless, inSentences }) =>
    inSentences && !isSentence(text)
      ? []
      : [...text.matchAll(wrong)]
          .filter((match) => !unless?.(match, text))
          .map((match) => text.slice(Math.max(0, match.index - 20), match.index + match[0].length + 10)),
  )

interface NumberRule {
  readonly wrong: RegExp
  /** A cell may hold a name, or a value as the log has it. */
  readonly inSentences?: true
  readonly unless?: (match: RegExpMatchArray, text: string) => boolean
}

/** What stands before a number that names something. */
const NAMES =
  /(?:\b(?:job|jobs|id|ids|uid|user|pid|rank|ranks|line|lines|ticket|case|seed|record|node|step|port|OST|version|DOI|page|nid\w*|to|and|–|,)|#)\s*$/i

const isSentence = (text: string) => (text.match(/[a-z]{2,}/gi) ?? []).length > 2

const numberOf = (figure: string | undefined) => Number((figure ?? '').replaceAll(',', ''))
const atLeast =
  (limit: number) =>
  ([, figure]: RegExpMatchArray) =>
    numberOf(figure) < limit

const FIGURE = '(?<![\\w.,/:-])(\\d[\\d,]*(?:\\.\\d+)?)'

const RULES: readonly NumberRule[] = [
  {
    inSentences: true,
    wrong: /(?<![\w.,:/#=@+-])\d{5,7}(?![\w:/@+-]|[.,]\w)/g,
    unless: (match, text) => NAMES.test(text.slice(0, match.index)),
  },
  // What names something is no quantity: "rank 83077", as the scheduler writes it.
  { wrong: /\b(?:rank|OST|lines?)\s\d{1,3}(?:,\d{3})+(?![\d,])/gi },
  { wrong: /\d\s*×\s*10(?:\^|[⁻⁰¹²³⁴-⁹−-])/g },
  { wrong: /(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+(?!\w)/gi, inSentences: true },
  { wrong: /(?<![\w.])0\.0{3,}\d*\s?%/g },
  { wrong: /(?<![\w.,:/-])\d[\d,]*\.\d{5,}(?![\w.])/g, inSentences: true },
  { wrong: new RegExp(`${FIGURE}\\s(?:KiB|MiB|GiB|TiB)(?![\\w/])`, 'g'), unless: atLeast(1000) },
  // Documents give bandwidths in MiB/s, and one beside another is told in the unit in which it can be found there.
  { wrong: new RegExp(`${FIGURE}\\s(?:KiB|MiB|GiB|TiB)/s(?!\\w)`, 'g'), unless: atLeast(10_000) },
  {
    wrong: new RegExp(`${FIGURE}\\s(?:B|bytes)(?![\\w²])`, 'g'),
    // What is said to be exact is the same in no larger unit.
    unless: (match, text) => atLeast(1e6)(match) || /\bexactly\s$/.test(text.slice(0, match.index)),
  },
  {
    wrong: new RegExp(`${FIGURE}\\ss(?![\\w/²])`, 'g'),
    unless: ([, figure]) => numberOf(figure) < 120,
  },
  { wrong: new RegExp(`${FIGURE}\\s(?:ms|µs)(?!\\w)`, 'g'), unless: atLeast(1000) },
  { wrong: /\b(?:NaN|undefined|null|Infinity)\b|\[object /g },
]
