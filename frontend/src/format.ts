/**
 * Quantities in words: the same words, by the same rules, as `iotriage/rules/core/words.py` says in sentences, reports
 * and the terminal, where the reasons stand; both are held to `backend/tests/vectors/words.json`.
 * Every shown number keeps its exact value beside it, for hover, copying and screen readers.
 */
import type { Unit } from './api/types'
import { printable } from './printable'

export interface Quantity {
  readonly number: string
  /** Empty where the number stands alone. */
  readonly unit: string
  /** The value in one unit, in words: whole numbers unrounded, others to six digits. */
  readonly exact: string
}

/** U+202F: a narrow space that does not break. */
export const THIN = '\u202f'

/** From so many hours on a duration is in days. */
export const HOURS_OF_A_WEEK = 168

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
const LARGE = [
  [1e6, 'million'],
  [1e9, 'billion'],
  [1e12, 'trillion'],
  [1e15, 'quadrillion'],
  [1e18, 'quintillion'],
] as const
const ONE = {
  calls: 'call',
  ranks: 'rank',
  'calls/s': 'call/s',
  nodes: 'node',
  files: 'file',
  stripes: 'stripe',
  OSTs: 'OST',
} as const

/** A measured value as number, unit and exact wording. */
export function quantity(value: number | string, unit: Unit): Quantity {
  if (typeof value === 'string') return { number: value, unit: '', exact: value }
  switch (unit) {
    case 'B':
      return { ...apart(size(value)), exact: counted(value, 'byte', 'bytes') }
    case 'B/s':
      return { ...apart(`${size(value)}/s`), exact: `${grouped(value)} bytes per second` }
    case 's':
      return { ...apart(seconds(value)), exact: `${grouped(value)} seconds` }
    case 'share':
      return { ...apart(share(value)), exact: `${groupedPercent(inPercent(value))} per cent` }
    case 'ratio':
      return { number: count(value), unit: '×', exact: grouped(value) }
    case '1':
    case 'word':
      return { number: count(value), unit: '', exact: grouped(value) }
    default: {
      const number = count(value)
      return {
        number,
        unit: number === '1' ? ONE[unit] : unit,
        exact: counted(value, ONE[unit], unit),
      }
    }
  }
}

/** "140 GiB": number and unit with a thin space between, for chart labels and sentences. */
export function format(value: number | string, unit: Unit): string {
  const { number, unit: name } = quantity(value, unit)
  return name ? `${number}${THIN}${name}` : number
}

/** A number that was given, not measured, such as a threshold: not rounded, "2", not "2.00"; but a size that no unit
 * has in two decimals is in bytes, or from a million rounded. */
export function exactly(value: number, unit: Unit): string {
  switch (unit) {
    case 'B':
      return thin(exactSize(value))
    case 'B/s':
      return thin(`${exactSize(value)}/s`)
    case 's':
      return thin(exactSeconds(value))
    case 'share':
      return `${asGiven(100 * value)}${THIN}%`
    case 'ratio':
      return `${asGiven(value)}${THIN}×`
    case '1':
    case 'word':
      return asGiven(value)
    default:
      return `${asGiven(value)}${THIN}${value === 1 ? ONE[unit] : unit}`
  }
}

/** A number that stands alone or before what it counts: "192", "1,966,080", "12.3 million", "1.4", "0.004". */
export function count(value: number): string {
  if (value < 0) return negative(count(-value))
  if (value > 0 && value < 1e-4) return '< 0.0001'
  if (value >= 9_999_999.5) {
    const [step, word] = LARGE.find(([each]) => value < 999.5 * each) ?? LARGE[4]
    return `${trimmed(three(value / step))} ${word}`
  }
  return trimmed(value >= 0.9995 ? three(value) : fixed(value, decimals(value)))
}

/** A place in a file, to the byte: one call begins where another ends. "12,582,912" */
export const offsetWords = (bytes: number): string => grouped(bytes)

/** A number that names a rank, an OST or a line, and counts nothing: without groups of three, as the scheduler, Lustre and
 * an editor write it. */
export const idWords = (id: number): string => id.toFixed(0)

/** "line 83", "lines 39–57". */
export const linesWords = (first: number, last: number): string =>
  first === last ? `line ${idWords(first)}` : `lines ${idWords(first)}–${idWords(last)}`

/** A ratio in a column of them: with its zeros, so that all have as many digits, "22.0 ×" below "22.4 ×". */
export function ratioInColumn(value: number): string {
  if (value < 1e-4 || value >= 9_999_999.5) return format(value, 'ratio')
  return `${value >= 0.9995 ? three(value) : fixed(value, decimals(value))}${THIN}×`
}

/** `part` of `total`, which is more than 0, in per cent; what is too few for that is counted: "1 of 524,288". */
export function partOf(part: number, total: number): string {
  return part > 0 && part < total * 1e-4 ? `${count(part)} of ${count(total)}` : format(part / total, 'share')
}

function size(bytes: number): string {
  if (bytes < 0) return negative(size(-bytes))
  if (bytes < 999.5) return `${count(bytes)} B`
  let value = bytes / 1024
  let unit = 1
  while (value >= 999.5 && unit < BINARY.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${three(value)} ${BINARY[unit]}`
}

/** "3 min 5 s", and "3 min" where nothing is left over. */
const withRest = (whole: number, unit: string, rest: number, smaller: string) =>
  `${whole} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ''}`

function seconds(value: number): string {
  if (value < 0) return negative(seconds(-value))
  if (value === 0) return '0 s'
  if (value < 1e-7) return '< 0.1 µs'
  if (value < 0.0009995) return `${three(value * 1e6)} µs`
  if (value < 0.09995) return `${three(value * 1e3)} ms`
  if (value < 0.995) return `${fixed(value, 2)} s`
  if (value < 119.5) return `${three(value)} s`
  if (value < 3599.5) {
    const whole = Math.floor(value + 0.5)
    return withRest(Math.floor(whole / 60), 'min', whole % 60, 's')
  }
  const minutes = Math.floor(value / 60 + 0.5)
  if (minutes < HOURS_OF_A_WEEK * 60) return withRest(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.floor(value / 3600 + 0.5)
  return hours < 24_000
    ? withRest(Math.floor(hours / 24), 'd', hours % 24, 'h')
    : `${count(value / 86_400)} d`
}

function share(fraction: number): string {
  const percent = inPercent(fraction)
  if (percent < 0) return negative(share(-fraction))
  if (percent > 0 && percent < 0.01) return '< 0.01 %'
  if ((percent > 99 && percent < 100) || (percent > 100 && percent < 100.5)) {
    return `over ${Math.floor(percent)} %`
  }
  return `${trimmed(fixed(percent, percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0))} %`
}

/** 0.07 × 100 is 7.000000000000001 in binary: cut where doubles stop being exact. */
export function inPercent(value: number): number {
  return Number((100 * value).toPrecision(12))
}

function exactSize(bytes: number): string {
  for (let unit = BINARY.length - 1; unit > 0; unit -= 1) {
    const hundredths = (bytes / 1024 ** unit) * 100
    if (hundredths >= 100 && hundredths < 1e6 && Number.isInteger(hundredths)) {
      return `${asGiven(hundredths / 100)} ${BINARY[unit]}`
    }
  }
  return bytes < 1e6 ? `${asGiven(bytes)} B` : size(bytes)
}

function exactSeconds(value: number): string {
  if (value > 0 && value < 0.001) return `${asGiven(value * 1e6)} µs`
  if (value > 0 && value < 0.1) return `${asGiven(value * 1e3)} ms`
  if (value < 120) return `${asGiven(value)} s`
  const hours = Math.floor(value / 3600)
  const long = hours >= HOURS_OF_A_WEEK
  const parts: [number, string][] = [
    [long ? Math.floor(hours / 24) : 0, 'd'],
    [long ? hours % 24 : hours, 'h'],
    [Math.floor(value / 60) % 60, 'min'],
    [value % 60, 's'],
  ]
  return parts.flatMap(([part, unit]) => (part ? [`${asGiven(part)} ${unit}`] : [])).join(' ')
}

/** Three digits, two of them behind the point at the most. */
const three = (value: number) => fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0)

/** Those that show three digits of a number below 1. */
const decimals = (value: number) =>
  value >= 0.09995 ? 3 : value >= 0.009995 ? 4 : value >= 0.0009995 ? 5 : 6

/** To so many decimals, groups of three before the point apart. */
const fixed = (value: number, places: number) =>
  separated(value >= 1e15 ? BigInt(Math.floor(value)).toString() : value.toFixed(places))

/** Twelve digits, without zeros behind the point, and never a power of ten. */
function asGiven(value: number): string {
  const [figures = '', power = '0'] = Math.abs(value).toExponential(11).split('e')
  const digits = figures.replace('.', '')
  const point = Number(power) + 1
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const behind = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits
  return `${value < 0 ? '-' : ''}${trimmed(separated(behind ? `${whole}.${behind}` : whole))}`
}

const trimmed = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

const negative = (text: string) => (text.startsWith('< ') ? `> -${text.slice(2)}` : `-${text}`)

/** Whole numbers as they are; of quotients and seconds six digits, as the rest would be read out for nothing. */
function grouped(value: number): string {
  const kept = Number.isInteger(value)
    ? value
    : Math.abs(value) < 1e5
      ? Number(value.toPrecision(6))
      : Math.round(value)
  return /e/.test(String(kept)) ? asGiven(kept) : separated(String(kept))
}

/** What is less than all is not rounded to it. */
const groupedPercent = (percent: number) =>
  percent !== 100 && grouped(percent) === '100' ? asGiven(percent) : grouped(percent)

function counted(value: number, one: string, many: string): string {
  const number = grouped(value)
  return `${number} ${number === '1' ? one : many}`
}

function separated(text: string): string {
  const [whole = '', behind] = text.split('.')
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return behind === undefined ? groups : `${groups}.${behind}`
}

/** "3 min 5 s" as "3 min 5" and "s": what is before the last space, and what is behind it. */
function apart(text: string): { number: string; unit: string } {
  const at = text.lastIndexOf(' ')
  return { number: thin(text.slice(0, at)), unit: text.slice(at + 1) }
}

/** A figure and its unit do not part at the end of a line. */
const thin = (text: string) => text.replace(/(?<=\d) (?=[a-zµ])/gi, THIN)

/** A day and time of the reader's own zone; `now` decides whether the day can be left out. */
export function moment(iso: string, now: Date = new Date()): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  const day = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime()
  const days = Math.round((day(now) - day(date)) / 86_400_000)
  if (days === 0) return `today ${time}`
  if (days === 1) return `yesterday ${time}`
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(year && { year }) })
}

/** To the year 3000: a later start is none. */
const LAST_S = 32_503_680_000

/** As `clock_words` of `metrics/core/clock.py`: when a job began, as its centre finds it in its own records. */
export const clockWords = (at: number | null): string | null =>
  at === null || !(at > 0 && at < LAST_S)
    ? null
    : `${new Date(1000 * at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "one", "two" … "twelve", then figures. */
export function inWords(value: number): string {
  const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')
  return words[value] ?? count(value)
}

/** What so many seconds of a whole job are: "614 process-hours (4.8 node-hours)"; less than a tenth of an hour of either is
 * not said. */
export function jobHours(seconds: number, nprocs: number | null, nnodes: number | null): string | null {
  const said = (
    [
      [nprocs, 'process'],
      [nnodes, 'node'],
    ] as const
  ).flatMap(([n, of]) =>
    n !== null && seconds * n >= 360 ? [plural((seconds * n) / 3600, `${of}-hour`)] : [],
  )
  const [first, ...rest] = said
  return first === undefined ? null : [first, ...rest.map((more) => `(${more})`)].join(' ')
}

/** Two durations: "50.0 s to 6 min 10 s"; one where both read alike. */
export function between(least: number, most: number): string {
  const [low, high] = [format(least, 's'), format(most, 's')]
  return low === high ? low : `${low} to ${high}`
}

/** "1 file", "3 files". */
export function plural(value: number, one: string, many = `${one}s`): string {
  const said = count(value)
  return `${said} ${said === '1' ? one : many}`
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A title within a sentence: names and abbreviations keep their capitals. */
export const uncapital = (text: string): string =>
  /^(?:Cray|Darshan|Fortran|Linux|Lustre|Python)\b/.test(text)
    ? text
    : text.replace(/^[A-Z](?=[a-z]| )/, (first) => first.toLowerCase())

/** A server's clause as a sentence: a capital and a full stop, unless it begins with a name in lower case. */
export function asSentence(text: string): string {
  const begins = /^[a-z]+(?=[\s,;:])/.test(text) ? capital(text) : text
  return /[.!?…]$/.test(begins) ? begins : `${begins}.`
}

/** The same with plain spaces: for sentences that the server says in the same words. */
export const inPlainWords = (value: number, unit: Unit): string => format(value, unit).replaceAll(THIN, ' ')

/** A sentence with numbers that stay beside their units, and signs before them, where a line ends: "9 min 51 s" is on one
 * line. In sentences units stand as far off as words do: the server's have no thin spaces beside the page's. */
export const unbroken = (text: string) =>
  text
    .replaceAll(THIN, '\u00a0')
    .replace(
      /(?<=\d) (?=(?:d|h|min|s|[mµ]s|%|×|(?:[KMGTPE]i)?B|OSTs?)(?!\w))|(?<=\d[ \u00a0](?:d|h|min)) (?=\d)|(?<=[<>≥≤]) (?=\d)/g,
      '\u00a0',
    )

/** A figure with the bound that stands before it, of which it has one alone: what is "over 99 %" need not be that at least,
 * and is at most 100 %. */
export function bounded(before: string, figure: string): string {
  const over = before === '' ? null : /^over (\d+)(.*)/.exec(figure)
  if (over === null) return before + figure
  return before === 'at least ' ? figure : `${before}${Number(over[1]) + 1}${over[2]}`
}

export const isWhole = (ranks: number): boolean => Math.abs(ranks - Math.round(ranks)) < 0.005

/** A count of ranks worked out from a variance is rarely whole: "4", "11.7". */
export const ranksWords = (ranks: number): string =>
  isWhole(ranks) ? count(Math.round(ranks)) : count(ranks)

/** The same for a sentence: "1", "11.7" as "about 12". */
export const aboutRanks = (ranks: number): string =>
  ranks < 3 || isWhole(ranks) ? ranksWords(ranks) : `about ${count(Math.round(ranks))}`

/** The last part of a path, which tells files of one job apart, as it is read. */
export const baseName = (path: string): string => printable(path.split('/').filter(Boolean).at(-1) ?? path)

/** In a table: what is missing is said, and never a number. */
export const orNotRecorded = <V>(value: V | null, say: (value: V) => string): string =>
  value === null ? 'not recorded' : say(value)
