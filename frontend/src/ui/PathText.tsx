import { Fragment } from 'react'
import { printable } from '../printable'

const ASCII = /^[ -~]*$/

/** A path in the order of its names, whichever way their letters run: two Arabic directories would be drawn as one text, the
 * second before the first. A control or a mark of direction is seen, as in what a terminal is told. */
export function PathText({ path }: { path: string }) {
  if (ASCII.test(path)) return path
  return path.split('/').map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a name is its place in the path
    <Fragment key={at}>
      {at > 0 && '/'}
      <bdi dir="ltr">{printable(name)}</bdi>
    </Fragment>
  ))
}
