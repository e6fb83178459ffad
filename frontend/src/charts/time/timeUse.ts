import { CELL_NAMES } from '../../analysis/names'
import type { Cell } from '../../api/types'

export type Kind = 'read' | 'write' | 'metadata' | 'exchange' | 'streams' | 'library' | 'not_split'

export interface Part {
  readonly kind: Kind
  readonly seconds: number | null
  readonly reason: string | null
}

export interface Rank {
  readonly rank: number | null
  /** Where it is an interval, its least; where records are missing that is all that is known. */
  readonly least_s: number
  readonly total_s: number
  readonly parts: readonly Part[]
}

/** Seconds that a finding has, that none has, or that no source splits. */
export interface Taken {
  readonly name: string
  readonly seconds: number
  readonly known: boolean
}

export const CELL_OF: Readonly<Record<Kind, Exclude<Cell, 'imbalance'>>> = {
  write: 'writes',
  read: 'reads',
  metadata: 'metadata',
  exchange: 'exchange',
  streams: 'streams',
  library: 'library',
  not_split: 'not_split',
}

export const ORDER = Object.keys(CELL_OF) as Kind[]

export const nameOf = (kind: Kind) => CELL_NAMES[CELL_OF[kind]]

export const partsOf = (rank: Rank) =>
  ORDER.flatMap((kind) => {
    const part = rank.parts.find((p) => p.kind === kind)
    return part ? [part] : []
  })
export type Known = Part & { readonly seconds: number }
export const knownOf = (rank: Rank): Known[] =>
  partsOf(rank).flatMap((p) => (p.seconds === null ? [] : [{ ...p, seconds: p.seconds }]))
