import { useEffect, useRef } from 'react'
import { Panel } from '../../ui/Panel'
import css from './Queue.module.css'

type Keys = Readonly<Record<string, () => unknown>>

const KEYS: readonly (readonly [string, string])[] = [
  ['j', 'next entry'],
  ['k', 'previous entry'],
  ['o', 'open its ticket, or its case'],
  ['x', 'choose it, to do something with several'],
  ['a', 'take it, or those that are chosen'],
  ['w', 'it waits for the user'],
  ['c', 'close it, or those that are chosen'],
  ['/', 'find'],
  ['Esc', 'choose none'],
  ['?', 'this list'],
]

/** Keys of the page: none where a person types, and none with a modifier, which are the browser's. */
export function useKeys(keys: Keys): void {
  const now = useRef(keys)
  useEffect(() => {
    now.current = keys
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || types(event.target))
        return
      const does = now.current[event.key]
      if (!does) return
      event.preventDefault()
      does()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const types = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null

/** Within a dialog it closes that. */
export const useEscape = (does: () => void): void => useKeys(Object.fromEntries([['Escape', does]]))

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Panel title="Keys" about="They act on the entry that is looked at." onClose={onClose}>
      <dl className={css.help}>
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
