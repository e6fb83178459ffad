import { useEffect, useRef } from 'react'
import { Panel } from '../ui/Panel'
import css from './queue/Queue.module.css'

type Keys = Readonly<Record<string, () => unknown>>

/** What each key does, in words. */
export type KeyWords = readonly (readonly [key: string, does: string])[]

/** Keys of the page: none where a person types or within a dialog, which Escape closes, and none with a modifier, which are
 * the browser's. */
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

export function KeyHelp({ keys, about, onClose }: { keys: KeyWords; about: string; onClose: () => void }) {
  return (
    <Panel title="Keys" about={about} onClose={onClose}>
      <dl className={css.help}>
        {keys.map(([key, does]) => (
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
