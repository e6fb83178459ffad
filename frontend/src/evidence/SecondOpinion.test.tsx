import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Opinion } from '../api/types'
import { tunedRun } from '../fixtures/documents'
import { FixtureCase } from '../fixtures/FixtureCase'
import { allAgree, notInstalled, someDiffer } from '../fixtures/opinions'
import { problem, serve } from '../test/router'
import { SecondOpinion } from './SecondOpinion'

const ADDRESS = '/api/v1/cases/fixture/sources/0/second-opinion'

function show(answer: Opinion | (() => Response), member: number | null = null) {
  const asked = serve({ [`GET ${ADDRESS}`]: answer })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <FixtureCase document={tunedRun}>
        <SecondOpinion source={{ given: 0, member }} />
      </FixtureCase>
    </QueryClientProvider>,
  )
  return asked
}
const ask = () => fireEvent.click(screen.getByRole('button', { name: 'Ask pydarshan' }))

describe('the second opinion', () => {
  it('is asked for by a person only', async () => {
    const asked = show(allAgree)
    expect(asked).toHaveLength(0)
    ask()
    expect(await screen.findByText(/^All/)).toHaveTextContent('All 15,432 values agree with pydarshan 3.5.0.')
    expect(asked).toHaveLength(1)
    expect(screen.queryByRole('button')).toBeNull()
    expect(screen.queryByRole('table')).toBeNull()
  })

  it('says how many values differ, which, and why', async () => {
    show(someDiffer)
    ask()
    expect(await screen.findByText(/agree with/)).toHaveTextContent(
      '5,432 values agree with pydarshan 3.5.0, 43 differ.',
    )
    const [, segments, times] = within(screen.getByRole('table')).getAllByRole('row')
    expect(segments).toHaveTextContent(/segments DXT_MPIIO.*40.*40.*0.*40-byte segments/)
    expect(times).toHaveTextContent(/POSIX_F_META_TIME.*record 15734190942023454210, all ranks/)
    expect(times).toHaveTextContent(/nothing.*1\.5.*Not known/)
    expect(screen.getByText('2 more kinds of values differ.')).toBeVisible()
  })

  it('says why there is none', async () => {
    show(notInstalled)
    ask()
    expect(await screen.findByText(/pip install 'iotriage\[pydarshan\]'/)).toBeVisible()
  })

  it('asks for the file of an archive, and again where the server was busy', async () => {
    let busy = true
    const asked = show(
      () =>
        busy ? problem(503, 'One second opinion is made at a time', 'Ask again.') : Response.json(allAgree),
      3,
    )
    ask()
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'One second opinion is made at a time. Ask again.',
    )
    busy = false
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(/^All/)).toBeVisible()
    expect(asked.map((request) => new URL(request.url).search)).toEqual(['?member=3', '?member=3'])
  })
})
