import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName, count, format } from '../../format'

export type Growth = NonNullable<CaseDocument['charts']['growth']>

/** Growth below this is rounding: a header, an attribute. */
const NOTABLE = 1.02

/** Where bytes grow between MPI-IO and the storage, and in which file most; empty where they do not. */
export function growthWords(growth: Growth | null): string {
  if (growth === null) return ''
  const [file] = growth.files
  const where =
    file && growth.files_compared > 1
      ? `, most in ${baseName(file.file)}`
      : file
        ? `, in ${baseName(file.file)}`
        : ''
  if (growth.unrequested_read > 0 && growth.unrequested_read >= (NOTABLE - 1) * growth.requested_written) {
    const times =
      growth.requested_written > 0 && growth.stored_written > NOTABLE * growth.requested_written
        ? ` (${count(growth.stored_written / growth.requested_written)} times what was asked)`
        : ''
    return ` Below MPI-IO, ${format(growth.unrequested_read, 'B')} are read that no call asked for, and ${format(growth.stored_written, 'B')} written${times}: read-modify-write${where}.`
  }
  if (growth.requested_written > 0 && growth.stored_written > NOTABLE * growth.requested_written)
    return ` ${count(growth.stored_written / growth.requested_written)} times as many bytes are stored as MPI-IO was asked to write${where}.`
  if (growth.requested_read > 0 && growth.stored_read > NOTABLE * growth.requested_read)
    return ` ${count(growth.stored_read / growth.requested_read)} times as many bytes are read from storage as MPI-IO was asked for.`
  return ''
}

/** Of the POSIX bar: bytes written beyond what MPI-IO was asked to write, and bytes read back unasked. */
export function grown(growth: Growth | null): { written: number; read: number } {
  if (growth === null) return { written: 0, read: 0 }
  const written =
    growth.stored_written > NOTABLE * growth.requested_written
      ? growth.stored_written - growth.requested_written
      : 0
  return { written, read: growth.unrequested_read }
}

export const grownAtAll = (growth: Growth) =>
  growth.unrequested_read > 0 || growth.stored_written > NOTABLE * growth.requested_written
