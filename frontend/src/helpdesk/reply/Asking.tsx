import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { useMedia } from '../../ui/useMedia'
import { askingQuery } from '../queries'
import css from './Asking.module.css'
import { ROOM_FOR_THE_LINES } from './room'
import { useSafeMarkup, Written } from './Written'

/** What would settle what is open, with its lines for the job script, as a text to the user; nothing where all is
 * decided. */
export function Asking({
  caseId,
  by,
  children,
}: {
  caseId: string
  by: Parameters<typeof askingQuery>[2]
  children?: ReactNode
}) {
  const id = useId()
  const [copied, setCopied] = useState(false)
  const roomy = useMedia(ROOM_FOR_THE_LINES)
  const asking = useQuery(askingQuery(caseId, 'plain', by))
  const text = asking.data?.text ?? ''
  const flowing = useQuery({ ...askingQuery(caseId, 'markdown', by), enabled: !roomy && text !== '' })
  const markup = useSafeMarkup(!roomy)
  if (text === '' || (!roomy && (flowing.isPending || markup === null))) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>What to ask for</h2>
      {!roomy && flowing.data ? (
        <div className={css.text}>
          <Written text={flowing.data.text} as="markdown" label="The question as it reads" />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
        <pre className={css.text} tabIndex={0}>
          {text.trimEnd()}
        </pre>
      )}
      <div className={css.acts}>
        <button type="button" className={button.button} onClick={async () => setCopied(await copyText(text))}>
          {copied ? 'Copied' : 'Copy the question'}
        </button>
        {children}
      </div>
    </section>
  )
}
