import type { CaseDocument } from '../analysis/caseDocument'
import { Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import { at, type TextEvidence, textEvidence } from './textEvidence'

/** Quotas that are not used up; what is used up stands with the errors. */
export function Quotas({ document }: { document: CaseDocument }) {
  const room = textEvidence(document, 'quota_room')
  if (room.length === 0) return null
  return (
    <Kind id="quotas" title="Quotas with room" says={room.map(({ part }) => part.name).join(', ')}>
      <Rows<TextEvidence<'quota_room'>>
        caption="Quotas of which neither space nor files are used up"
        rows={room}
        keyOf={({ source, part }) => `${source}:${part.line}`}
        columns={[
          { name: 'of', cell: ({ part }) => part.name },
          { name: 'file system', cell: ({ part }) => <span className="mono">{part.mount}</span> },
          { name: 'by', cell: ({ part }) => part.tool },
          { name: 'where', cell: ({ source, part }) => <Place where={at(source, part.line)} /> },
        ]}
      />
    </Kind>
  )
}
