import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DecidedBy } from '../../analysis/search'
import { type ReplyForm, replyQuery } from '../queries'
import { useFlowingText } from './useFlowingText'

/** What a person chose of a reply and changed in it, and what the server wrote of that. */
export function useReply(
  caseId: string,
  findings: readonly { readonly key: string }[],
  first: readonly string[],
  by: DecidedBy,
) {
  const [ticked, setTicked] = useState<readonly string[]>(first)
  const [form, setForm] = useState<ReplyForm>('plain')
  const [template, setTemplate] = useState<string | null>(null)
  // A text that a person changed stays theirs, whatever they look at meanwhile.
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const [changing, setChanging] = useState(false)
  const there = findings.filter((f) => ticked.includes(f.key)).map((f) => f.key)
  const asked = { findings: there, template, by }
  const query = useQuery(replyQuery(caseId, { ...asked, form }))
  const name = [form, template ?? '', ...there].join()
  const edited = drafts[name] !== undefined && drafts[name] !== query.data?.text
  const reads = useFlowingText(
    replyQuery(caseId, { ...asked, form: 'markdown' }),
    form === 'plain' && !edited && !changing,
  )
  return {
    query,
    form,
    setForm,
    template: template ?? query.data?.template ?? '',
    setTemplate,
    ticked: there,
    toggle: (key: string) =>
      setTicked((old) => (old.includes(key) ? old.filter((one) => one !== key) : [...old, key])),
    text: drafts[name] ?? query.data?.text ?? '',
    edited,
    write: (draft: string | undefined) =>
      setDrafts(({ [name]: _, ...others }) => (draft === undefined ? others : { ...others, [name]: draft })),
    reads,
    change: () => setChanging(true),
    waits: query.isPending || reads.waits,
  }
}

export type ReplyDraft = ReturnType<typeof useReply>
