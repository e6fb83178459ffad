import type { FileRow, Unit } from '../api/types'
import { count, exactly } from '../format'
import { Missing } from '../ui/Missing'
import { Num } from '../ui/Num'
import type { Column } from './columns'

/** What the columns need of a file, or of a group of files. */
export type Figures = Pick<FileRow, Exclude<Column, 'path'>>

/** One cell of the table; `together` where it is of several files. */
export function FileCell({
  file,
  column,
  together = false,
}: {
  file: Figures
  column: Column
  together?: boolean
}) {
  switch (column) {
    case 'path':
      return null
    case 'pattern':
      return file.pattern ?? <span className="muted">not judged</span>
    case 'layers':
      return file.layers.length > 0 ? file.layers.join(', ') : <NotRecorded />
    case 'ranks':
      if (together && file.ranks === null) return <Differs />
      return <OfEach value={file.ranks} together={together} whole />
    case 'bytes_read':
    case 'bytes_written':
    case 'size_bytes':
      return <Figure value={file[column]} unit="B" />
    case 'independent_calls':
    case 'collective_calls':
      return <Figure value={file[column]} whole />
    case 'time_s':
    case 'mean_metadata_s':
      return <Figure value={file[column]} unit="s" />
    case 'stripe_count':
    case 'stripe_size_bytes':
      return <Stripes file={file} together={together} />
    case 'effective_ranks':
      return <OfEach value={file.effective_ranks} together={together} />
  }
}

function Figure({
  value,
  unit = '1',
  whole = false,
}: {
  value: number | null
  unit?: Unit
  whole?: boolean
}) {
  if (value === null) return <NotRecorded />
  return whole ? count(value) : <Num value={value} unit={unit} />
}

/** Hatched: nothing is there, which is not 0. */
const NotRecorded = () => <Missing alone />

/** Of several files, of which the answer has what all have in common. */
const NotOne = () => <Missing alone reason="Not recorded, or not the same for all of these files." />

const Differs = () => <span className="muted">differs</span>

/** Of several files what each of them has: 2,048 files that a rank each opened have more than "1". */
function OfEach({
  value,
  together,
  whole = false,
}: {
  value: number | null
  together: boolean
  whole?: boolean
}) {
  if (together && value === null) return <NotOne />
  return (
    <>
      <Figure value={value} whole={whole} />
      {together && <span className="u"> each</span>}
    </>
  )
}

function Stripes({ file, together }: { file: Figures; together: boolean }) {
  if (file.stripe_count === null) return together ? <NotOne /> : <NotRecorded />
  return (
    <>
      {file.stripe_count}
      {file.stripe_size_bytes !== null && (
        <span className="u"> × {exactly(file.stripe_size_bytes, 'B')}</span>
      )}
    </>
  )
}
