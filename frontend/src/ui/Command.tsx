import { Fragment, useEffect, useState } from 'react'
import button from './Button.module.css'
import css from './Command.module.css'
import { copyText } from './clipboard'
import { callsOf, partsOf, piecesOf } from './lines/wholeWords'

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
      <code>
        <Lines text={text} />
      </code>
      <CopyButton text={text} bare={small} />
    </div>
  )
}

/** Each where it is seen to begin, also where it goes on below, at the end of a word; who selects them has them as they
 * are. */
function Lines({ text }: { text: string }) {
  const lines = text.split('\n')
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the text
    <span key={at} className={css.line}>
      <WholeWords of={line} />
      {at < lines.length - 1 && '\n'}
    </span>
  ))
}

const WholeWords = ({ of }: { of: string }) =>
  partsOf(of).map(({ text, breaks }, at) =>
    breaks ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place in the line
      <span key={at} className={css.word}>
        <Pieces of={piecesOf(text)} />
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <Pieces key={at} of={callsOf(text)} />
    ),
  )

const Pieces = ({ of }: { of: readonly string[] }) =>
  of.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the word
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {piece}
    </Fragment>
  ))

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
