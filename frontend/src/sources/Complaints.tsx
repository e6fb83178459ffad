import type { CaseDocument } from '../analysis/caseDocument'
import type { Where } from '../api/types'
import { baseName, count, format, plural } from '../format'
import { Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import css from './Sources.module.css'
import { at, type PartOf, textEvidence } from './textEvidence'

interface Complaint {
  readonly what: string
  /** The same in two or three words. */
  readonly short: string
  readonly detail: string
  readonly count: number
  readonly ranks: string
  readonly files: string
  readonly bytes: string
  readonly where: Where
}

/** What the MPI library complained of on standard error: one line for each kind, however often it stands there. */
export function Complaints({ document }: { document: CaseDocument }) {
  const rows = [
    ...textEvidence(document, 'mpiio_io_error').map(({ source, part }) => failed(source, part)),
    ...textEvidence(document, 'system_errors').map(({ source, part }) => systemErrors(source, part)),
    ...textEvidence(document, 'mpich_abort').map(({ source, part }) => aborted(source, part)),
    ...textEvidence(document, 'mpiio_internal_error').map(({ source, part }) => internal(source, part)),
    ...textEvidence(document, 'dvs_stripe_warning').map(({ source, part }) => dvs(source, part)),
    ...textEvidence(document, 'used_up').map(({ source, part }) => usedUp(source, part)),
  ]
  if (rows.length === 0) return null
  return (
    <Kind id="complaints" title="Warnings and errors" differs says={rows.map(shortly).join(', ')}>
      <Rows
        caption="Warnings and errors, added up"
        rows={rows}
        keyOf={(row) => JSON.stringify(row.where)}
        columns={[
          {
            name: 'what',
            cell: (row) => (
              <>
                <span className={css.apart}>{row.what}</span>
                {row.detail && <span className="muted small"> {row.detail}</span>}
              </>
            ),
          },
          { name: 'times', number: true, cell: (row) => count(row.count) },
          { name: 'ranks', cell: (row) => row.ranks },
          { name: 'files', cell: (row) => row.files },
          { name: 'bytes not moved', number: true, cell: (row) => row.bytes },
          { name: 'where', cell: (row) => <Place where={row.where} /> },
        ]}
      />
    </Kind>
  )
}

const shortly = (row: Complaint): string => `${row.short}${row.count === 1 ? '' : ` × ${count(row.count)}`}`

const SHOWN = 3

/** "16 ranks: 0, 8, 16 …" */
function some(n: number, one: string, first: readonly (string | number)[]): string {
  if (n === 0) return 'not named'
  const shown = first.slice(0, SHOWN)
  return `${plural(n, one)}: ${shown.join(', ')}${n > shown.length ? ' …' : ''}`
}

function failed(source: number, part: PartOf<'mpiio_io_error'>): Complaint {
  const error = [part.name ?? (part.errno === null ? null : `errno ${part.errno}`), part.message]
  return {
    what: `${part.operation}s failed with ${error.filter(Boolean).join(', ') || 'an error whose number is not readable'}`,
    short: `${part.name ?? (part.errno === null ? 'error' : `errno ${part.errno}`)} in a ${part.operation}`,
    detail: part.name !== null && part.errno !== null ? `errno ${part.errno}` : '',
    count: part.count,
    ranks: some(part.rank_count, 'rank', part.ranks),
    files: some(part.file_count, 'file', part.files.map(baseName)),
    bytes: moved(part),
    where: at(source, part.line, part.last_line),
  }
}

/** Of lines that are cut off before their bytes these are not known. */
function moved(part: PartOf<'mpiio_io_error'>): string {
  const withLength = part.calls.filter((call) => call.length_bytes !== null).length
  if (withLength === 0) return '–'
  return `${withLength < part.calls.length ? 'at least ' : ''}${format(part.length_bytes, 'B')}`
}

function systemErrors(source: number, part: PartOf<'system_errors'>): Complaint {
  return {
    what: `reads or writes failed with ${part.name}, in words of the program or of a command`,
    short: `${part.name} in a read or write`,
    detail: part.message,
    count: part.count,
    ranks: 'not named',
    files: 'not named',
    bytes: '–',
    where: at(source, part.line, part.last_line),
  }
}

function aborted(source: number, part: PartOf<'mpich_abort'>): Complaint {
  const more = part.nodes.length > SHOWN ? ' …' : ''
  const nodes = part.nodes.length > 0 ? ` on ${part.nodes.slice(0, SHOWN).join(', ')}${more}` : ''
  return {
    what: `MPI aborted with code ${part.code}`,
    short: `abort ${part.code}`,
    detail: part.message,
    count: part.count,
    ranks: `${some(part.rank_count, 'rank', part.ranks)}${nodes}`,
    files: '–',
    bytes: '–',
    where: at(source, part.line, part.last_line),
  }
}

function internal(source: number, part: PartOf<'mpiio_internal_error'>): Complaint {
  return {
    what: `${part.function} failed within the MPI library`,
    short: `failed ${part.function}`,
    detail: `${part.message}; a defect of the library, not of the job`,
    count: part.count,
    ranks: some(part.rank_count, 'rank', part.ranks),
    files: '–',
    bytes: '–',
    where: at(source, part.line, part.last_line),
  }
}

function usedUp(source: number, part: PartOf<'used_up'>): Complaint {
  return {
    what:
      part.tool === 'lfs df -i'
        ? `${part.name} on ${part.mount} has no inodes left`
        : part.tool === 'df'
          ? `${part.mount} has no ${part.of === 'files' ? 'inodes' : 'space'} left`
          : `${part.name} has used up the ${part.of} that the quota of ${part.mount} allows`,
    short: `${part.of} used up`,
    detail: `${part.used} are used, by ${part.tool}`,
    count: 1,
    ranks: '–',
    files: '–',
    bytes: '–',
    where: at(source, part.line),
  }
}

function dvs(source: number, part: PartOf<'dvs_stripe_warning'>): Complaint {
  return {
    what: `DVS set a stripe width of ${part.set_width} where ${part.requested_width} was asked for`,
    short: `DVS stripe width ${part.set_width} for ${part.requested_width}`,
    detail: 'each rank prints it for each file that it opens',
    count: part.count,
    ranks: 'not named',
    files: 'not named',
    bytes: '–',
    where: at(source, part.line, part.last_line),
  }
}
