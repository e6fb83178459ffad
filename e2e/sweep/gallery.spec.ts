import { fitsWindows, GALLERY, keepsNobodyOutInEitherTheme, open, test } from '../journeys/stage'

for (const part of GALLERY) {
  test(`nothing on the gallery's ${part} keeps anybody out, light or dark, wide or narrow`, async ({
    page,
    gallery,
  }) => {
    await open(page, `${gallery}?part=${part}`)
    await keepsNobodyOutInEitherTheme(page)
    await fitsWindows(page, [390, 1280])
  })
}
