import { mkdir, stat } from 'node:fs/promises'
import { RollcallError } from '@rollcall/plugin'

/**
 * Makes the folder, readable by its owner only, unless there is one already.
 *
 * @throws {RollcallError} `CONFIG_INVALID` where a file is in the way, or the folder can not be made.
 */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const what = (await isFile(folder)) ? 'is a file' : 'can not be made'
    throw new RollcallError('CONFIG_INVALID', `The folder ${folder} of @rollcall/plugin-filesystem ${what}.`, {
      hint: 'Set its option "folder" to a folder that exists or may be made.',
      cause,
    })
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
