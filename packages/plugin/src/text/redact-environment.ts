import { redactSecrets } from './redact-secrets.ts'

// Parts of names, wherever they stand; neither authors nor working folders are meant.
const secretName =
  /KEY|TOKEN|SECRET|PASS|(?<!^|^OLD)PWD|CREDENTIAL|AUTH(?!ORS?(?:_|$))|COOKIE|PRIVATE|DSN|SESSION|SIGNATURE|BEARER|JWT|CONNECTION_?STRING/i

/**
 * A copy of an environment that may be shown: a value is replaced where its name looks secret, redacted where it holds
 * a secret shape. Names stay; variables without a value are left out.
 */
export function redactEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, redactValue(name, value)]])),
  )
}

function redactValue(name: string, value: string): string {
  return value !== '' && secretName.test(name) ? '[redacted:environment]' : redactSecrets(value)
}
