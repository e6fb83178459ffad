import type { FileRow } from '../api/types'
import { MOST_SECONDS_FIRST } from './search'

/** The columns that all files can be sorted by. */
export type Column = Exclude<keyof FileRow, 'group'>

export interface Head {
  readonly column: Column
  readonly name: string
  /** The name said in full, on hover. */
  readonly title: string
  /** What a figure of several files is, where theirs need not be one. */
  readonly together?: string
  readonly number: boolean
  /** From which width of the page on it is shown. */
  readonly shown: 'always' | 'medium' | 'broad' | 'wide'
}

export const HEADS: readonly Head[] = [
  { column: 'path', name: 'file', title: 'path of the file', number: false, shown: 'always' },
  { column: 'pattern', name: 'pattern', title: 'how its ranks use it', number: false, shown: 'medium' },
  { column: 'layers', name: 'layers', title: 'layers that saw it', number: false, shown: 'wide' },
  {
    column: 'ranks',
    name: 'ranks',
    title: 'ranks that opened it',
    together: 'how many ranks opened each of the files, the same ones or not',
    number: true,
    shown: 'medium',
  },
  {
    column: 'bytes_written',
    name: 'written',
    title: 'bytes written, at the highest layer',
    together: 'added up over the files',
    number: true,
    shown: 'always',
  },
  {
    column: 'bytes_read',
    name: 'read',
    title: 'bytes read, at the highest layer',
    together: 'added up over the files',
    number: true,
    shown: 'medium',
  },
  {
    column: 'size_bytes',
    name: 'size',
    title: 'size as far as the evidence tells',
    together: 'added up over the files',
    number: true,
    shown: 'wide',
  },
  {
    column: 'independent_calls',
    name: 'indep.',
    title: 'independent MPI-IO calls',
    together: 'added up over the files',
    number: true,
    shown: 'wide',
  },
  {
    column: 'collective_calls',
    name: 'coll.',
    title: 'collective MPI-IO calls',
    together: 'added up over the files',
    number: true,
    shown: 'wide',
  },
  {
    column: 'time_s',
    name: 'time',
    title: 'seconds of its slowest rank in reads, writes and metadata',
    together: 'at most, of one rank over the files',
    number: true,
    shown: 'always',
  },
  {
    column: 'mean_metadata_s',
    name: 'metadata',
    title: 'of it in opens, stats and closes; of a file that ranks share, of a rank on average',
    together:
      'of a rank on average over files that ranks share; of files of one rank each, of the rank with most',
    number: true,
    shown: 'broad',
  },
  {
    column: 'stripe_count',
    name: 'stripes',
    title: 'Lustre stripe count and size',
    together: 'Lustre stripe count and size of each of the files',
    number: true,
    shown: 'broad',
  },
  {
    column: 'effective_ranks',
    name: 'eff. ranks',
    title: 'effective ranks: how many ranks really carry its bytes',
    together: 'how many ranks really carry the bytes of each of the files',
    number: true,
    shown: 'wide',
  },
]

export interface Sort {
  readonly column: Column
  readonly descending: boolean
}

/** "-time_s" is descending by time; anything unknown is the most seconds first. */
export function sortOf(text: string = MOST_SECONDS_FIRST): Sort {
  const name = text.replace(/^-/, '')
  const head = HEADS.find((h) => h.column === name)
  return head
    ? { column: head.column, descending: text.startsWith('-') }
    : { column: 'time_s', descending: true }
}

export const sortText = ({ column, descending }: Sort): string => `${descending ? '-' : ''}${column}`
