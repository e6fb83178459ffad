import { fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Setting } from '../../analysis/thresholds'
import { OwnThresholds } from './OwnThresholds'

const setting = (id: string, given: number, value: number): Setting => ({
  threshold: {
    id,
    rule: 'r',
    title: `Title of ${id}`,
    unit: 'ranks',
    value: given,
    default: given,
    stated_by: { document: 'project', section: '', says: '' },
    minimum: 0,
    maximum: 100,
    scale: 'linear',
    site_says: null,
    moved_from: null,
  },
  given,
  value,
  changed: value !== given,
  siteSays: null,
})

beforeEach(() => localStorage.clear())

describe("a person's own numbers", () => {
  it('are kept, offered on the next case, and forgotten', () => {
    const use = vi.fn()
    const first = render(
      <OwnThresholds site="generic" settings={[setting('a', 4, 9), setting('b', 1, 1)]} onUse={use} />,
    )
    fireEvent.click(screen.getByText('Keep these as my numbers'))
    expect(screen.getByText('These are the numbers you keep in this browser.')).toBeVisible()
    first.unmount()

    const next = render(
      <OwnThresholds site="generic" settings={[setting('a', 4, 4), setting('b', 1, 1)]} onUse={use} />,
    )
    fireEvent.click(screen.getByText('Use my 1 number'))
    expect(use).toHaveBeenLastCalledWith({ a: 9 })
    next.unmount()

    render(<OwnThresholds site="generic" settings={[setting('a', 4, 9), setting('b', 1, 1)]} onUse={use} />)
    fireEvent.click(screen.getByText('Forget them'))
    expect(localStorage.length).toBe(0)
    expect(screen.getByText('Keep these as my numbers')).toBeVisible()
  })

  it('are offered no more where the case has no such threshold, or has that number already', () => {
    localStorage.setItem('iotriage.thresholds', JSON.stringify({ gone: 3, b: 1 }))
    render(<OwnThresholds site="generic" settings={[setting('b', 1, 1)]} onUse={() => {}} />)
    expect(screen.queryByText(/Use my/)).toBeNull()
  })

  it('survive nonsense in the storage', () => {
    localStorage.setItem('iotriage.thresholds', '{"a": "many", "b": ')
    render(<OwnThresholds site="generic" settings={[setting('a', 4, 4)]} onUse={() => {}} />)
    expect(screen.getByRole('status')).toBeEmptyDOMElement()
    expect(screen.queryByRole('button')).toBeNull()
  })
})
