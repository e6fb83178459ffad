import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { CallColumns } from './callColumns'
import { useSteps } from './useSteps'

/** A call of each rank, a second long. */
const callsOf = (...of: readonly (readonly [rank: number, start: number])[]): CallColumns => {
  const none = of.map(() => 0)
  return {
    rank: of.map(([rank]) => rank),
    start: of.map(([, start]) => start),
    end: of.map(([, start]) => start + 1),
    write: none,
    layer: none,
    record: none,
    offset: none,
    length: none,
    file: none,
    ost: none,
    firstOst: none,
    records: ['1'],
    count: of.length,
  }
}
const BOX = { t0: 0, t1: 100, y0: 0, y1: 8 }
const WHOLE = callsOf([0, 1], [1, 2], [2, 3], [3, 4])
const TOGETHER = callsOf([0, 1], [0, 1], [0, 1])

it('keeps the call that was stepped to when the trace comes as other calls, and none where it is not among them', () => {
  const { result, rerender } = renderHook(({ calls }) => useSteps(calls, BOX, 'rank'), {
    initialProps: { calls: WHOLE },
  })
  for (const at of [0, 1, 2]) expect(result.current.step(1)).toBe(at)
  const closer = callsOf([2, 3], [3, 4])
  rerender({ calls: closer })
  expect(result.current.pick(null)).toBe(0)
  expect(result.current.step(1)).toBe(1)
  rerender({ calls: callsOf([0, 1], [1, 2]) })
  expect(result.current.pick(null)).toBeNull()
  expect(result.current.step(1)).toBe(0)
})

it('goes past calls of one rank that began together', () => {
  const { result } = renderHook(() => useSteps(TOGETHER, BOX, 'rank'))
  expect([1, 2, 3].map(() => result.current.step(1))).toEqual([0, 1, 2])
})
