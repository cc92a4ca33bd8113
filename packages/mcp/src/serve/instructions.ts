/** What every client is told about this server when it connects. */
export function instructionsFor(profile: string, hidden: number): string {
  const purpose = 'Rollcall offers the tools of several providers under one set of rules. Some calls wait for a person.'
  if (hidden === 0) return purpose
  const tools = hidden === 1 ? '1 tool is' : `${hidden} tools are`
  return `${purpose} ${tools} hidden from the profile ${profile}. To learn why a tool is missing, an admin runs: rollcall why <tool> --profile ${profile}`
}
