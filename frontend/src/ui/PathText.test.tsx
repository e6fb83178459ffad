import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { printable } from '../printable'
import { PathText } from './PathText'

const isolated = (path: string) => {
  const { container } = render(<PathText path={path} />)
  return {
    text: container.textContent,
    names: [...container.querySelectorAll('bdi')].map((n) => n.textContent),
  }
}

it('keeps each name of a path in its place, whichever way its letters run', () => {
  const path = '/work/محمد/نتائج/out.nc'
  expect(isolated(path)).toEqual({ text: path, names: ['', 'work', 'محمد', 'نتائج', 'out.nc'] })
  expect(isolated('/work/a  b/out.nc')).toEqual({ text: '/work/a  b/out.nc', names: [] })
})

it('shows what turns letters round or ends a line, as a terminal is shown it', () => {
  expect(isolated('/work/\u202egnp.exe').text).toBe('/work/\\u202egnp.exe')
  expect(isolated('/work/a\tb\n').text).toBe('/work/a\\x09b\\x0a')
  expect(printable('\u2028 \u{e0041}')).toBe('\\u2028 \\U000e0041')
})
