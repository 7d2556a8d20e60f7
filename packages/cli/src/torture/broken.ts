/** The rules of the mesh that are broken on purpose. They are not published: nobody shall install locks that fail. */
import { InvalidInput } from '@turnwise/core/invalid-input'

export async function brokenMesh(): Promise<typeof import('@turnwise/mesh/broken/rules')> {
  try {
    return await import('@turnwise/mesh/broken/rules')
  } catch (cause) {
    throw new InvalidInput(
      '--broken works in a clone of the project only: the broken rules are not published',
      {
        cause,
      },
    )
  }
}
