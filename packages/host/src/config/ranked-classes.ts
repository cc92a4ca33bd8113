import { type DataClassName, dataClasses } from '@rollcall/plugin'

/** All classes of data from harmless to secret. One whose neighbour is not known has no rank: it is above all. */
export function rankedClasses(own: Readonly<Record<string, { readonly above: DataClassName }>>): DataClassName[] {
  const ranked: DataClassName[] = [...dataClasses]
  let rest = Object.entries(own).filter(([name]) => !ranked.includes(name))
  // One may stand above another one of the operator's, in whatever order they are written.
  for (let found = true; found && rest.length > 0; ) {
    const placed = rest.filter(([, { above }]) => ranked.includes(above))
    for (const [name, { above }] of placed) ranked.splice(ranked.indexOf(above) + 1, 0, name)
    rest = rest.filter((one) => !placed.includes(one))
    found = placed.length > 0
  }
  return ranked
}
