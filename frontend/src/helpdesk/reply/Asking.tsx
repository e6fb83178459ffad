import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { askingQuery } from '../queries'
import css from './Asking.module.css'
import { useAsItReads } from './useAsItReads'
import { Written } from './Written'

/** What would settle what is open, with its lines for the job script, as a text to the user; nothing where all is
 * decided. */
export function Asking({
  caseId,
  by,
  acts,
  children,
}: {
  caseId: string
  by: Parameters<typeof askingQuery>[2]
  /** What is done once it is copied. */
  acts?: ReactNode
  /** What stands below it, and comes with it. */
  children?: ReactNode
}) {
  const id = useId()
  const [copied, setCopied] = useState(false)
  const asking = useQuery(askingQuery(caseId, 'plain', by))
  const text = asking.data?.text ?? ''
  const reads = useAsItReads(askingQuery(caseId, 'markdown', by), text !== '')
  if (asking.isPending || reads.waits) return null
  if (text === '') return children
  return (
    <>
      <section aria-labelledby={id}>
        <h2 id={id}>What to ask for</h2>
        {reads.text !== null ? (
          <div className={css.text}>
            <Written text={reads.text} as="markdown" label="The question as it reads" />
          </div>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
          <pre className={css.text} tabIndex={0}>
            {text.trimEnd()}
          </pre>
        )}
        <div className={css.acts}>
          <button
            type="button"
            className={button.button}
            onClick={async () => setCopied(await copyText(text))}
          >
            {copied ? 'Copied' : 'Copy the question'}
          </button>
          {acts}
        </div>
      </section>
      {children}
    </>
  )
}
