import { readFileSync } from 'node:fs'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { PageError } from './NotFound'

const show = (message: string, path = '/') => {
  window.history.replaceState(null, '', path)
  const routeTree = createRootRoute({ component: () => <PageError error={new Error(message)} /> })
  render(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory() })} />)
}

describe('what stands in the place of a part that failed', () => {
  it('tells a part that did not come from a defect', async () => {
    show('Unable to preload CSS for /assets/Timeline-C0fPm3p5.css')
    expect(await screen.findByRole('heading')).toHaveTextContent('could not be fetched')
    expect(screen.getByRole('alert')).toHaveTextContent('The server does not answer, or has been updated')
    expect(screen.queryByText(/preload CSS/)).toBeNull()
  })

  it('names the defect, which whoever is told of it needs', async () => {
    show("Cannot read properties of undefined (reading 'toPrecision')")
    expect(await screen.findByRole('heading')).toHaveTextContent('could not be drawn')
    expect(screen.getByText(/toPrecision/)).toBeVisible()
  })

  it.each([
    ['/cases/abc/files', 'iotriage diagnose FILE'],
    ['/centre/2026-11-20', 'iotriage report --date DAY'],
    ['/queue', 'tell whoever runs this server'],
  ])('says of %s what else says the same', async (path, instead) => {
    show('defect', path)
    expect(await screen.findByRole('alert')).toHaveTextContent(instead)
    // Where the views of a case begin, and pages elsewhere.
    expect(screen.getByRole('alert').className).toMatch(path.startsWith('/cases/') ? /view/ : /wrap/)
    if (!path.startsWith('/cases/')) expect(screen.getByRole('alert')).not.toHaveTextContent(/the case/i)
  })
})

it('says that the page has not started where its script does not come', () => {
  const read = (path: string) => readFileSync(path, 'utf8')
  document.body.innerHTML = read('index.html').split(/<.?body>/)[1] ?? ''
  const script = document.createElement('script')
  script.textContent = read('public/unstarted.js')
  document.body.append(script)
  const note = screen.getByText(/This page has not started/)
  expect(note).not.toBeVisible()
  document.querySelector('script')?.dispatchEvent(new Event('error'))
  expect(note).toBeVisible()
})
