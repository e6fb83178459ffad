import { useEffect, useState } from 'react'
import button from './Button.module.css'
import css from './Command.module.css'
import { copyText } from './clipboard'

/** Lines ready to paste, with a button that copies them exactly. */
export function Command({
  text,
  small = false,
  prompt = false,
}: {
  text: string
  small?: boolean
  prompt?: boolean
}) {
  return (
    <div className={small ? css.small : css.command}>
      {prompt && (
        <span className={css.prompt} aria-hidden="true">
          $
        </span>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <code className="more" tabIndex={0}>
        {text}
      </code>
      <CopyButton text={text} bare={small} />
    </div>
  )
}

function CopyButton({ text, bare }: { text: string; bare: boolean }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => copyText(text).then((done) => setState(done ? 'copied' : 'refused'))
  return (
    <button type="button" className={bare ? button.bare : button.button} onClick={copy}>
      <span aria-live="polite">
        {state === 'copied' ? 'copied' : state === 'refused' ? 'select and copy' : 'copy'}
      </span>
    </button>
  )
}
