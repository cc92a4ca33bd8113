import { isAbsolute, join } from 'node:path'

/** The folders of a user, as the system wants them. */
export interface UserFolders {
  /** Holds the configuration for every place that has none of its own. */
  readonly config: string
  /** Holds what is remembered about this user's machine, such as trust. */
  readonly state: string
}

/** Finds the user's folders. Neither is created. */
export function userFolders(user: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}): UserFolders {
  const { env, home } = user
  if (process.platform === 'win32') {
    return {
      config: join(absolute(env.APPDATA) ?? join(home, 'AppData', 'Roaming'), 'rollcall'),
      state: join(absolute(env.LOCALAPPDATA) ?? join(home, 'AppData', 'Local'), 'rollcall'),
    }
  }
  return {
    config: join(absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'rollcall'),
    state: join(absolute(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'rollcall'),
  }
}

// A relative one would follow the working folder, into a place that somebody else may have filled.
function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && isAbsolute(folder) ? folder : undefined
}
