import { baseName, count, format } from '../format'
import { Missing } from '../ui/Missing'

/** The file that a block of Cray MPICH is about, and what else tells the block from the file's others.
 * `path` is null where the block's title is lost. */
export function BlockFile({
  path,
  notes,
}: {
  path: string | null
  notes: readonly (string | false | null)[]
}) {
  return (
    <>
      {path === null ? (
        <span className="muted">(title lost)</span>
      ) : (
        <span className="mono" title={path}>
          {baseName(path)}
        </span>
      )}
      <span className="muted small"> {notes.filter(Boolean).join(', ')}</span>
    </>
  )
}

/** A number that the block may not print. */
export function Stated({ n, bytes = false }: { n: number | null; bytes?: boolean }) {
  if (n === null) return <Missing alone>not in the block</Missing>
  return bytes ? <span title={`${count(n)} B`}>{format(n, 'B')}</span> : count(n)
}
