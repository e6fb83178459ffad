import { createRouter } from '@tanstack/react-router'
import { mount } from '../../mount'
import { root, routerOptions, routes } from '../../router'
import { galleryRoute } from './Gallery'

/** The product's pages and the gallery beside them: for those who work on it, and in no build that is given away. */
mount((client) =>
  createRouter({ ...routerOptions(client), routeTree: root.addChildren([...routes, galleryRoute]) }),
)
