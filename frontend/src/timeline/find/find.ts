import { baseName } from '../../format'
import type { TraceSummary } from '../requests'
import type { TimelineSearch } from '../search'

type Found = { readonly [K in keyof TimelineSearch]?: TimelineSearch[K] | undefined }

const NUMBER = '(\\d+(?:\\.\\d+)?)'
const TO = '\\s*(?:-|–|\\.\\.|to)\\s*'
const RANKS = new RegExp(`^ranks?\\s+(\\d+)(?:${TO}(\\d+))?$`, 'i')
const OST = /^ost\s*#?(\d+)$/i
const TIME = new RegExp(`^${NUMBER}(?:\\s*s)?${TO}${NUMBER}\\s*s$`, 'i')
const MOMENT = new RegExp(`^${NUMBER}\\s*s$`, 'i')

/** Where what somebody typed leads: a rank or several, an OST, a time, or a file by its name. Null where nothing of the
 * log is called so. */
export function find(text: string, summary: TraceSummary): Found | null {
  const words = text.trim()
  if (words === '') return null
  const [ranks, ost, time, moment] = [RANKS, OST, TIME, MOMENT].map((pattern) => pattern.exec(words))
  if (ranks) {
    const [first, last] = [Number(ranks[1]), Number(ranks[2] ?? ranks[1])]
    return first <= last && first < summary.nprocs
      ? { show: undefined, ranks: `${first}..${Math.min(last, summary.nprocs - 1)}` }
      : null
  }
  if (ost) {
    const known = summary.osts.find((one) => one.ost === Number(ost[1]))
    return known ? { ost: String(known.ost) } : null
  }
  if (time) return within(Number(time[1]), Number(time[2]), summary)
  if (moment) {
    const around = summary.extent_s * 0.01
    return within(Number(moment[1]) - around, Number(moment[1]) + around, summary)
  }
  const wanted = words.toLowerCase()
  const file =
    summary.files.find(
      (one) => one.path.toLowerCase() === wanted || baseName(one.path).toLowerCase() === wanted,
    ) ?? summary.files.find((one) => one.path.toLowerCase().includes(wanted))
  return file ? { only: file.record, bytes: undefined } : null
}

function within(from: number, to: number, { extent_s }: TraceSummary): Found | null {
  const [low, high] = [Math.max(0, from), Math.min(extent_s, to)]
  return low < high ? { t: `${Number(low.toFixed(6))}..${Number(high.toFixed(6))}` } : null
}
