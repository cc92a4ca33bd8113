import { assignmentShapes } from './assignment-shapes.ts'

/** A kind of secret that can be told by its looks. */
export interface SecretShape {
  /** Shown in place of the secret, as `[redacted:<name>]`. */
  readonly name: string
  /** Global; group 1, where there is one, is the context before the secret, which is kept. Takes linear time. */
  readonly pattern: RegExp
  /** The secret stands bare in JSON, so that its mark must be put in quotes. */
  readonly quoted?: true
}

// A token may follow an escaped line end of a JSON text: there the letter before it is no part of its word.
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))`
const runStart = String.raw`(?:(?<![A-Za-z0-9_\-])|(?<=\\[bfnrt]))`
const privateKey = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
const urlPassword = String.raw`[^\s\/"'\\<>]*(?:\\u[0-9a-fA-F]{4}[^\s\/"'\\<>]*){0,65536}(?=@)`

/**
 * The one catalogue of named secret shapes, read by everything that redacts. Where two meet, the earlier one names
 * the secret. An unbounded part is either consumed by a match or starts at the start of its run, so that no text makes
 * the search slower than linear.
 */
export const secretShapes: readonly SecretShape[] = [
  shape(
    'pem-private-key',
    String.raw`-----BEGIN ${privateKey}(?:(?:(?!-----BEGIN)[^"])*?-----END ${privateKey}|[A-Za-z0-9+\/=\s\\]*[A-Za-z0-9+\/=]|)`,
  ),
  shape('aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  shape(
    'aws-secret',
    String.raw`(secret_?(?:access_?)?key["'\\]{0,3}[ \t]*(?:[:=]|>)[ \t]*["'\\]{0,3})[A-Za-z0-9\/+]{40}(?![A-Za-z0-9\/+=])`,
    'i',
  ),
  shape('rollcall-key', String.raw`rollcall_[a-z2-7]{12}_[\w\-]{20,}`),
  shape('github-token', 'gh[pousr]_[A-Za-z0-9_]{20,}|github_pat_[A-Za-z0-9_]{20,}'),
  shape('gitlab-token', String.raw`gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat)-[\w\-]{20,}(?:\.[\w\-]+){0,2}`),
  shape('slack-token', String.raw`(?:xox[abeoprs]|xapp)-[A-Za-z0-9\-]{10,}`),
  shape('slack-webhook', String.raw`(https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w\/\-]{8,}`),
  shape('discord-webhook', String.raw`(discord(?:app)?\.com\/api\/webhooks\/\d{1,24}\/)[\w\-]{20,}`),
  shape('stripe-key', String.raw`[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+\/]{20,}=*`),
  shape('anthropic-key', String.raw`sk-ant-[\w\-]{16,}`),
  shape('openai-key', String.raw`${start}sk-(?=[\w\-]{0,80}[0-9A-Z])[\w\-]{20,}`),
  shape('google-api-key', String.raw`AIza[\w\-]{35}`),
  shape('google-oauth', String.raw`ya29\.[\w\-]{20,}|GOCSPX-[\w\-]{20,}`),
  shape('npm-token', 'npm_[A-Za-z0-9]{36,}'),
  shape('pypi-token', String.raw`pypi-AgEI[\w\-]{40,}`),
  shape('sendgrid-key', String.raw`SG\.[\w\-]{16,32}\.[\w\-]{16,64}`),
  shape('twilio-key', `${start}SK[0-9a-f]{32}(?![0-9a-f])`),
  shape('telegram-token', String.raw`(?<!\d)\d{8,10}:AA[\w\-]{33}(?![\w\-])`),
  shape('hugging-face-token', `${start}hf_[A-Za-z0-9]{30,}`),
  shape('groq-key', `${start}gsk_[A-Za-z0-9]{40,}`),
  shape('replicate-token', `${start}r8_[A-Za-z0-9]{36,}`),
  shape('docker-token', String.raw`dckr_(?:pat|oat)_[\w\-]{20,}`),
  shape('digitalocean-token', 'do[oprt]_v1_[0-9a-f]{64}'),
  shape('shopify-token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'),
  shape('databricks-token', String.raw`${start}dapi[0-9a-f]{32}(?:-\d)?`),
  shape('vault-token', String.raw`${start}hv[sbr]\.[\w\-]{24,}`),
  shape('atlassian-token', String.raw`ATATT3[\w\-]{40,}(?:=[0-9A-F]{8})?`),
  shape('linear-key', 'lin_api_[A-Za-z0-9]{20,}'),
  shape('notion-token', `${start}(?:ntn_|secret_)[A-Za-z0-9]{40,}`),
  shape('age-key', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  shape('jwt', String.raw`${runStart}eyJ[\w\-]{8,32768}(?:\.[\w\-]{4,32768}){1,4}\.?`),
  shape(
    'bearer',
    String.raw`(authorization["'\\]{0,3}[ \t]*[:=][ \t]*["'\\]{0,3}(?:bearer|token|apikey)[ \t]+)[^\s"'\\,;\[\]]+`,
    'i',
  ),
  shape('bearer', String.raw`((?<![A-Za-z])bearer[ \t]+)(?=[\w.~+\/\-]{0,80}\d)[\w.~+\/\-]{16,}=*`, 'i'),
  shape(
    'basic-auth',
    String.raw`(authorization["'\\]{0,3}[ \t]*[:=][ \t]*["'\\]{0,3}basic[ \t]+)[A-Za-z0-9+\/=_\-]+`,
    'i',
  ),
  shape(
    'database-url',
    String.raw`((?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|mongodb(?:\+srv)?|rediss?|amqps?|clickhouse|cockroachdb):\/\/[^\s\/:@?#"'\\<>\[\]]{0,256}:)${urlPassword}`,
    'i',
  ),
  shape('basic-auth', String.raw`(:\/\/[^\s\/:@?#"'\\<>\[\]]{0,256}:)${urlPassword}`),
  shape('basic-auth', String.raw`(:\/\/)[^\s\/:@?#"'\\<>\[\]]{20,256}(?=@)`),
  shape('cookie', String.raw`(cookie:[ \t]*)(?=[^\s=;"\\]{1,128}=)[^\r\n"\\]+`, 'i'),
  ...assignmentShapes,
]

function shape(name: string, source: string, flags = ''): SecretShape {
  // A counted loop without an end fills the stack of the engine on a huge text, a plain one does not.
  const plainLoops = source.replace(/(\[(?:\\.|[^\]\\])*\])\{(\d+),\}/g, '$1{$2}$1*')
  return { name, pattern: new RegExp(plainLoops, `g${flags}`) }
}
