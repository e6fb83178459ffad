import type { CaseDocument } from '../../api/types'
import type { Link } from './linked'

const base = (path: string) => path.split('/').at(-1) ?? path

/** The group of files that a path belongs to, as marks and findings are linked by it; by name where the paths of two
 * sources differ. */
export function groupLinks(document: CaseDocument): (path: string | null) => Link[] {
  const byPath = new Map(document.files.map((file) => [file.path, file.group]))
  const byName = new Map(document.files.map((file) => [base(file.path), file.group]))
  return (path) => {
    const id = path === null ? undefined : (byPath.get(path) ?? byName.get(base(path)))
    return id === undefined ? [] : [{ kind: 'group', id }]
  }
}
