import type { CompareLeaf } from '../../analysis/condition'
import type { ThresholdInForce, Unit } from '../../api/types'
import { exactly, format } from '../../format'

/** Positions on a bullet, in per cent of its width. */
export interface BulletScale {
  readonly value: number | null
  readonly threshold: number
  readonly marks: readonly number[]
  /** The hatched zone in which the comparison is true. */
  readonly zone: readonly [number, number]
  readonly low: string
  readonly high: string
  readonly log: boolean
}

/** A scale over the threshold's range, widened to include the value and the threshold in force. */
export function bulletScale(
  leaf: CompareLeaf,
  threshold: ThresholdInForce | undefined,
  marks: readonly number[] = [],
): BulletScale {
  const numbers = [...(typeof leaf.value === 'number' ? [leaf.value] : []), leaf.threshold, ...marks]
  const log = threshold?.scale === 'log'
  const top = Math.max(threshold?.maximum ?? leaf.threshold * 2, ...numbers)
  const floor = threshold?.minimum ?? 0
  const lowest = Math.min(floor, ...numbers)
  const high = top > lowest ? top : lowest + 1
  const low = log ? positive(lowest, numbers, floor, high) : lowest
  const at = (x: number) => {
    const share = log ? Math.log(Math.max(x, low) / low) / Math.log(high / low) : (x - low) / (high - low)
    return Math.min(100, Math.max(0, share * 100))
  }
  const { unit } = leaf
  const tick = at(leaf.threshold)
  const given: readonly (number | undefined)[] = [threshold?.minimum, threshold?.maximum]
  const end = (x: number) =>
    given.includes(x) && !isRoughBytes(x, unit) ? exactly(x, unit) : format(x, unit)
  return {
    value: typeof leaf.value === 'number' ? at(leaf.value) : null,
    threshold: tick,
    marks: marks.map(at),
    zone: zoneOf(leaf, tick),
    low: end(low),
    high: log ? `${end(high)}, log` : end(high),
    log,
  }
}

/** An end such as 100,000 B/s, which beside 93.1 GiB/s is read as "97.7 KiB/s". */
const isRoughBytes = (x: number, unit: Unit): boolean =>
  (unit === 'B' || unit === 'B/s') && x >= KIB && x % KIB !== 0
const KIB = 1024

/** A logarithmic scale cannot begin at zero; this is the smallest positive number among those shown. */
function positive(lowest: number, numbers: readonly number[], floor: number, high: number): number {
  if (lowest > 0) return lowest
  const candidates = [...numbers, floor].filter((x) => x > 0)
  return Math.min(high / 10, ...candidates)
}

function zoneOf(leaf: CompareLeaf, tick: number): readonly [number, number] {
  switch (leaf.operator) {
    case '<':
    case '<=':
      return [0, tick]
    case '>':
    case '>=':
      return [tick, 100]
    case '==':
      return [Math.max(0, tick - 1), Math.min(100, tick + 1)]
    case '!=':
      return [0, 100]
  }
}

const SIGNS = { '<': '<', '<=': '≤', '>': '>', '>=': '≥', '==': '=', '!=': '≠' } as const

export function thresholdWords(leaf: CompareLeaf): string {
  return `${SIGNS[leaf.operator]} ${exactly(leaf.threshold, leaf.unit)}`
}
