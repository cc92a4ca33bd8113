/** Words in a tool's name that say it changes something. */
const writingVerbs = new Set(
  (
    'add append apply approve archive assign cancel clear click close commit create delete deploy disable drop edit ' +
    'enable erase execute fill fork import insert install invite kill lock merge modify move patch post press publish ' +
    'purge push put register reject remove rename replace reset restart restore revoke rollback run save schedule ' +
    'send set share start stop store submit sync terminate trigger truncate type uninstall unlock update upload ' +
    'upsert write'
  ).split(' '),
)

/** Whether a tool is proposed as reading: its server hints so, and no word of its name says otherwise. */
export function proposedRead(tool: { readonly name: string; readonly readOnlyHint?: boolean }): boolean {
  return tool.readOnlyHint === true && writingVerbOf(tool.name) === undefined
}

/** The first word of a name that says it writes. */
export function writingVerbOf(name: string): string | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.find((word) => writingVerbs.has(word))
}
