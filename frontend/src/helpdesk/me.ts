import { queryOptions } from '@tanstack/react-query'
import { answered, BASE } from '../api/client'

/** Who looks at the page: what they own is theirs by `id`. */
export interface Me {
  readonly id: string
  readonly name: string
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => {
    const response = await fetch(new URL('api/v1/me', BASE), { signal })
    return answered<Me>(Promise.resolve({ data: await response.json(), response }))
  },
  staleTime: Number.POSITIVE_INFINITY,
})
