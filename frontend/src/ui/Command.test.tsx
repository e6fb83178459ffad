import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Command } from './Command'

it('shows each line as one that may go on below, and has the text as it is', () => {
  const text =
    'hid_t transfer = H5Pcreate(H5P_DATASET_XFER);\nH5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);'
  const { container } = render(<Command text={text} small />)
  const code = container.querySelector('code')
  expect(code?.textContent).toBe(text)
  expect([...(code?.children ?? [])].map(({ textContent }) => textContent?.trimEnd())).toEqual(
    text.split('\n'),
  )
  expect(screen.getByRole('button', { name: 'copy' })).toBeVisible()
})
