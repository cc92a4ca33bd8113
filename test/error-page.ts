import { writeFile } from 'node:fs/promises'
import { errorTable } from '@rollcall/plugin'
import { root } from './list-files.ts'

/** The documentation page of the error codes, made from the table. `node test/error-page.ts` writes it. */
export function renderErrorPage(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { when, fix }]) => `| \`${code}\` | ${cell(when)} | ${cell(fix)} |`,
  )
  return [
    '# Error codes',
    '',
    'Every `RollcallError` and every finding carries one of these codes, a message and a hint.',
    'This page is made from `packages/plugin/src/errors/error-table.ts` by `node test/error-page.ts`.',
    '',
    '| code | when | fix |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

if (import.meta.main) await writeFile(`${root}docs/errors.md`, renderErrorPage())
