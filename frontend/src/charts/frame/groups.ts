import type { CaseDocument } from '../../analysis/caseDocument'
import { baseName } from '../../format'
import type { MarkedLink } from './chart'
import type { Link } from './linked'

/** The groups of those paths, each once, for below a chart. */
export function groupsAmong(
  paths: readonly string[],
  linksOf: (path: string) => readonly Link[],
): MarkedLink[] {
  const found: MarkedLink[] = []
  for (const path of paths)
    for (const link of linksOf(path))
      if (!found.some((other) => other.link.id === link.id)) found.push({ link })
  return found
}

/** The group of files that a path belongs to, as marks and findings are linked by it; by name where the paths of two
 * sources differ. */
export function groupLinks(document: CaseDocument): (path: string | null) => Link[] {
  const byPath = new Map(document.files.map((file) => [file.path, file.group]))
  const byName = new Map(document.files.map((file) => [baseName(file.path), file.group]))
  return (path) => {
    const id = path === null ? undefined : (byPath.get(path) ?? byName.get(baseName(path)))
    return id === undefined ? [] : [{ kind: 'group', id }]
  }
}
