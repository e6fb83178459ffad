import { describe, expect, it } from 'vitest'
import { ApiError, problemOf } from './client'
import { isOfTheFile, nextStep } from './upload'

describe('an upload that a limit or a fault refuses', () => {
  it.each([
    [413, 'Your storage is used up', true, /smaller log/],
    [429, 'Too much was uploaded', false, /Try again then/],
    [503, 'The database is away', false, /Try again/],
    [507, 'There is no space left', false, /whoever runs this server/],
  ])('%i is shown in the words of the server, and what to do', (status, title, ofTheFile, next) => {
    const error = problemOf({ title, detail: 'Ask again in 20 seconds.' }, status)
    expect(error).toBeInstanceOf(ApiError)
    expect(error.message).toBe(`${title}. Ask again in 20 seconds.`)
    expect(isOfTheFile(error)).toBe(ofTheFile)
    expect(nextStep(error)).toMatch(next)
  })
  it.each([
    [413, /nothing so large through/],
    [502, /got no answer from it/],
    [403, /may have refused/],
  ])('%i of a proxy is told as what it means there', (status, said) => {
    expect(problemOf('<html>', status).message).toMatch(said)
  })
})
