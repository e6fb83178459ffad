import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import button from '../../ui/Button.module.css'
import { copyText } from '../../ui/clipboard'
import { type Asked, askingQuery } from '../queries'
import css from './Asking.module.css'
import { useFlowingText } from './useFlowingText'
import { Written } from './Written'

/** What would settle what is open, or makes the first log, with its lines for the job script, as a text to the user;
 * nothing where all is decided. */
export function Asking({
  asked,
  acts,
  children,
}: {
  asked: Asked
  /** What is done once it is copied. */
  acts?: ReactNode
  /** What stands below it, and comes with it. */
  children?: ReactNode
}) {
  const id = useId()
  const [copied, setCopied] = useState(false)
  const asking = useQuery(askingQuery(asked, 'plain'))
  const text = asking.data?.text ?? ''
  const reads = useFlowingText(askingQuery(asked, 'markdown'), text !== '')
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
