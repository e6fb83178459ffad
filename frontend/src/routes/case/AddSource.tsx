import { useQuery, useQueryClient } from '@tanstack/react-query'
import { infoQuery } from '../../api/queries'
import type { CaseView } from '../../api/types'
import { addToCase, type Sent } from '../../api/upload'
import { Panel } from '../../ui/Panel'
import { Upload } from '../../upload/Upload'

/** Takes more of what the same job left behind, into the case. */
export default function AddSource({ view, onClose }: { view: CaseView; onClose: () => void }) {
  const client = useQueryClient()
  const info = useQuery(infoQuery)
  const finish = async (sent: readonly Sent[]) => {
    await addToCase(view.id, sent)
    await client.invalidateQueries({ queryKey: ['case', view.id] })
    onClose()
  }
  return (
    <Panel
      title="Add a source"
      about={`to ${view.title}: more of what the same job left behind`}
      onClose={onClose}
    >
      <Upload narrow limit={info.data?.upload_limit_bytes ?? null} finish={finish} />
    </Panel>
  )
}
