/**
 * Numbers in words a person reads: three significant digits, binary prefixes for bytes, the unit apart.
 * Every shown number keeps its exact value beside it, for hover, copying and screen readers.
 */
import { format as d3format } from 'd3-format'
import type { Unit } from './api/types'

/** Units of the contract; a number of unit "1" is a share (shown in per cent) or a ratio. */
export type Shown = Unit | 'share' | 'ratio'

export interface Quantity {
  readonly number: string
  /** Empty where the number stands alone. */
  readonly unit: string
  /** The value unrounded, with its unit in words. */
  readonly exact: string
}

/** U+202F: a narrow space that does not break. */
export const THIN = '\u202f'
const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const
const SHARE = /fraction|share(?!d)|utilisation/

/** How a metric of unit "1" is shown; other units are shown as they are. */
export function shownUnit(unit: Unit, id: string): Shown {
  if (unit !== '1') return unit
  return SHARE.test(id) ? 'share' : 'ratio'
}

/** Three significant digits; from 1,000 on whole numbers with separators, from 10 million on with a power word. */
export function significant(value: number): string {
  const size = Math.abs(value)
  if (value === 0) return '0'
  if (size >= 1e15) return value.toExponential(2).replace('e+', ' × 10^')
  if (size >= 1e7) return scaled(value)
  if (size >= 999.5) return d3format(',.0f')(value)
  if (size < 1e-4) return value.toExponential(2).replace('e-', ' × 10^−')
  return trimmed(value)
}

function scaled(value: number): string {
  const [step, word] = Math.abs(value) >= 9.995e8 ? [1e9, 'billion'] : [1e6, 'million']
  return `${significant(value / step)} ${word}`
}

function trimmed(value: number): string {
  const text = value.toPrecision(3)
  return text.includes('e') ? String(Number(text)) : text
}

/** A count of things: whole below ten million, never "3.00". */
export function count(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? d3format(',')(value) : significant(value)
}

function bytes(value: number, per: string): Quantity {
  const exact = `${grouped(value)} ${per ? 'bytes per second' : value === 1 ? 'byte' : 'bytes'}`
  let step = 0
  let size = value
  // 1,023.6 KiB would read as 1,024 KiB: it is 1.00 MiB.
  while (Math.abs(size) >= 1023.5 && step < BYTE_STEPS.length - 1) {
    size /= 1024
    step += 1
  }
  const whole = step === 0 && Number.isInteger(value)
  return { number: whole ? count(value) : significant(size), unit: `${BYTE_STEPS[step]}${per}`, exact }
}

function seconds(value: number): Quantity {
  const exact = `${grouped(value)} seconds`
  const size = Math.abs(value)
  if (size !== 0 && size < 1e-4) return { number: significant(value * 1e6), unit: 'µs', exact }
  if (size !== 0 && size < 0.1) return { number: significant(value * 1e3), unit: 'ms', exact }
  return { number: significant(value), unit: 's', exact }
}

function grouped(value: number): string {
  const [whole = '', decimals] = String(value).split('.')
  if (/e/.test(String(value))) return String(value)
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return decimals ? `${groups}.${decimals}` : groups
}

const SINGULAR: Partial<Record<Shown, string>> = {
  calls: 'call',
  ranks: 'rank',
  nodes: 'node',
  files: 'file',
  stripes: 'stripe',
  OSTs: 'OST',
}

/** A value of the contract as number, unit and exact wording. */
export function quantity(value: number | string, unit: Shown): Quantity {
  if (typeof value === 'string') return { number: value, unit: '', exact: value }
  switch (unit) {
    case 'B':
      return bytes(value, '')
    case 'B/s':
      return bytes(value, '/s')
    case 's':
      return seconds(value)
    case 'share':
      return { number: percent(value), unit: '%', exact: `${grouped(inPercent(value))} per cent` }
    case '1':
    case 'ratio':
      return { number: significant(value), unit: unit === 'ratio' ? '×' : '', exact: grouped(value) }
    case 'word':
      return { number: String(value), unit: '', exact: String(value) }
    default: {
      const word = value === 1 ? (SINGULAR[unit] ?? unit) : unit
      return { number: count(value), unit: word, exact: `${grouped(value)} ${word}` }
    }
  }
}

/** 0.07 × 100 is 7.000000000000001 in binary: cut where doubles stop being exact. */
export function inPercent(value: number): number {
  return Number((value * 100).toPrecision(12))
}

function percent(value: number): string {
  const hundredths = inPercent(value)
  if (Number.isInteger(hundredths)) return count(hundredths)
  const text = significant(hundredths)
  // 99.96 % is not all: do not round it up to the whole.
  return text === '100' && value < 1 ? '99.9' : text
}

/** "140 GiB": number and unit with a thin space between, for chart labels and sentences. */
export function spoken(value: number | string, unit: Shown): string {
  const { number, unit: name } = quantity(value, unit)
  return name ? `${number}${THIN}${name}` : number
}

/** "2 h 05 min", "3 min 07 s", "41.2 s". */
export function duration(value: number): string {
  if (value < 60) return spoken(value, 's')
  const whole = Math.round(value)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  const two = (n: number) => String(n).padStart(2, '0')
  if (hours === 0) return `${minutes}${THIN}min ${two(whole % 60)}${THIN}s`
  return `${count(hours)}${THIN}h ${two(minutes)}${THIN}min`
}

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

/** "one", "two" … "twelve", then figures. */
export function inWords(value: number): string {
  const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')
  return words[value] ?? count(value)
}

/** "1 file", "3 files". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** A server's clause as a sentence: a capital and a full stop, unless it begins with a name in lower case. */
export function asSentence(text: string): string {
  const begins = /^[a-z]+(?=[\s,;:])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
  return /[.!?…]$/.test(begins) ? begins : `${begins}.`
}

/** The same with plain spaces: for sentences that the server says in the same words. */
export const inPlainWords = (value: number, unit: Shown): string => spoken(value, unit).replaceAll(THIN, ' ')
