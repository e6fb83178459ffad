import type { Link } from './linked'

/** "rank.145", "rank.0-127", "ost.5", "group.g1", "direction.read", "time.12.5". */
export function linkInAddress(link: Link): string {
  const last = link.kind === 'rank' && link.last !== undefined ? `-${link.last}` : ''
  return `${link.kind}.${link.id}${last}`
}

const RANKS = /^(\d+)(?:-(\d+))?$/
const SECONDS = /^\d+(?:\.\d+)?(?:e-\d+)?$/

/** Null where an address has nothing that could be meant. */
export function linkIn(text: string | undefined): Link | null {
  const [, kind, id = ''] = /^([a-z]+)\.(.+)$/.exec(text ?? '') ?? []
  switch (kind) {
    case 'rank': {
      const [, first, last] = RANKS.exec(id) ?? []
      if (first === undefined) return null
      return { kind, id: Number(first), ...(last !== undefined && { last: Number(last) }) }
    }
    case 'ost':
      return /^\d+$/.test(id) ? { kind, id: Number(id) } : null
    case 'time':
      return SECONDS.test(id) ? { kind, id: Number(id) } : null
    case 'group':
      return /^g\d+$/.test(id) ? { kind, id } : null
    case 'direction':
      return id === 'read' || id === 'write' ? { kind, id } : null
    default:
      return null
  }
}
