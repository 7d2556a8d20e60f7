/** The pictures of the README, by their files. */
import { killedPicture } from './draw-killed.ts'
import { recordedFiles, storyOf } from './killed.ts'
import { theatrePicture } from './theatre.ts'

export function pictures(): Readonly<Record<string, string>> {
  return {
    'docs/pictures/theatre.svg': theatrePicture(),
    'docs/pictures/killed.svg': killedPicture(storyOf(recordedFiles())),
  }
}
