import type { CallColumns } from '../callColumns'
import type { CallLayer } from '../requests'

/** What tells a call from all others, as the address has it: `POSIX:3:0.125`. */
export interface PinnedCall {
  readonly layer: CallLayer
  readonly rank: number
  readonly start_s: number
}

const PIN = /^(POSIX|MPIIO):(\d{1,8}):(\d+(?:\.\d+)?(?:e-?\d+)?)$/

const layerOf = (calls: CallColumns, i: number): CallLayer => (calls.layer[i] === 1 ? 'MPIIO' : 'POSIX')

export const pinOf = (calls: CallColumns, i: number): PinnedCall => ({
  layer: layerOf(calls, i),
  rank: calls.rank[i] ?? 0,
  start_s: calls.start[i] ?? 0,
})

/** Where a call is among others; −1 where it is not. */
export function placeOf({ layer, rank, start_s }: PinnedCall, calls: CallColumns): number {
  for (let i = 0; i < calls.count; i++)
    if (calls.start[i] === start_s && calls.rank[i] === rank && layerOf(calls, i) === layer) return i
  return -1
}

export const pinsInAddress = (pins: readonly PinnedCall[]): string | undefined =>
  pins.length === 0 ? undefined : pins.map((pin) => `${pin.layer}:${pin.rank}:${pin.start_s}`).join(',')

/** Those of an address; what is none is left out. */
export const pinsOf = (text: string | undefined): PinnedCall[] =>
  (text ?? '').split(',').flatMap((one) => {
    const [, layer, rank, start] = PIN.exec(one) ?? []
    return layer === 'POSIX' || layer === 'MPIIO'
      ? [{ layer, rank: Number(rank), start_s: Number(start) }]
      : []
  })
