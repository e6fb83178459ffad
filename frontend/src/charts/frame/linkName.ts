import type { CaseDocument } from '../../analysis/caseDocument'
import { count, format } from '../../format'
import type { Link } from './linked'

/** What a person calls it. */
export function linkName(link: Link, document: CaseDocument): string {
  switch (link.kind) {
    case 'group':
      return document.groups.find((group) => group.id === link.id)?.label ?? 'other files'
    case 'rank':
      return link.last === undefined || link.last === link.id
        ? `rank ${link.id}`
        : `ranks ${count(link.id)} to ${count(link.last)}`
    case 'ost':
      return `OST ${link.id}`
    case 'direction':
      return `${link.id}s`
    case 'time':
      return format(link.id, 's')
  }
}
