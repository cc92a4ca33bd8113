/** Looks for a configuration in one folder. */
export interface ConfigExplorer {
  search(folder: string): Promise<{ readonly filepath: string } | null>
}

/** The names of a configuration, in the order in which they are looked for. */
export const searchPlaces: readonly string[] = ['json', 'yaml', 'yml', 'ts', 'mts', 'js', 'mjs'].map(
  (extension) => `rollcall.config.${extension}`,
)

/**
 * The one place where cosmiconfig is used, and only to find a file.
 *
 * Its public function also reads settings for itself from the working folder, and one of the places where it looks for
 * them is `.config/config.js`, which it executes. A folder that nobody has trusted must not get that far, so the class
 * behind that function is used.
 */
export async function createConfigExplorer(): Promise<ConfigExplorer> {
  // The declarations of this module are empty; its shape is that of the exact version that is pinned.
  const { Explorer } = (await import('cosmiconfig/dist/Explorer.js')) as unknown as {
    readonly Explorer: new (options: object) => ConfigExplorer
  }
  const found = () => ({})
  return new Explorer({
    moduleName: 'rollcall',
    searchPlaces,
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: false,
    cache: false,
    metaConfigFilePath: null,
    mergeImportArrays: false,
    mergeSearchPlaces: false,
    transform: <T>(result: T) => result,
    loaders: {
      '.json': found,
      '.yaml': found,
      '.yml': found,
      '.ts': found,
      '.mts': found,
      '.js': found,
      '.mjs': found,
    },
  })
}
