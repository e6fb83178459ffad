import type { CaseDocument } from '../../analysis/caseDocument'
import { format } from '../../format'
import type { Link } from './linked'
import { ranksFromTo } from './words/ranksFromTo'

/** What sentences say of names that Darshan hid is no part of a name: it would stand behind each, wherever one is. */
export const groupName = (label: string): string => label.replace(/ \(names obfuscated\)$/, '')

/** What a person calls it. */
export function linkName(link: Link, document: CaseDocument): string {
  switch (link.kind) {
    case 'group':
      return groupName(document.groups.find((group) => group.id === link.id)?.label ?? 'other files')
    case 'rank':
      return ranksFromTo(link.id, link.last ?? link.id)
    case 'ost':
      return `OST ${link.id}`
    case 'direction':
      return `${link.id}s`
    case 'time':
      return format(link.id, 's')
  }
}
