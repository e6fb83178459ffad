import type { SelectedCalls } from './requests'
import { unpack } from './unpack'

/** The calls of a part, one array a quantity. */
export interface CallColumns {
  readonly rank: ArrayLike<number>
  readonly write: ArrayLike<number>
  readonly layer: ArrayLike<number>
  readonly record: ArrayLike<number>
  readonly offset: ArrayLike<number>
  readonly length: ArrayLike<number>
  readonly start: ArrayLike<number>
  readonly end: ArrayLike<number>
  readonly file: ArrayLike<number>
  readonly ost: ArrayLike<number>
  /** Index of the OST on which each call begins; 4294967295 where it is not known. */
  readonly firstOst: ArrayLike<number>
  readonly records: readonly string[]
  readonly count: number
}

export const columnsOf = (marks: SelectedCalls['longest']): CallColumns => ({
  rank: unpack(marks.rank),
  write: unpack(marks.operation),
  layer: unpack(marks.layer),
  record: unpack(marks.record),
  offset: unpack(marks.offset),
  length: unpack(marks.length),
  start: unpack(marks.start_s),
  end: unpack(marks.end_s),
  file: unpack(marks.file),
  ost: unpack(marks.ost),
  firstOst: unpack(marks.first_ost),
  records: marks.records,
  count: marks.calls,
})
