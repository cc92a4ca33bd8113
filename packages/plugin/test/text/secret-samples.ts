// Made up, and put together here so that no scanner takes this file for a leak.
const alnum = (length: number) => 'aB3dE5fG7hJ9kL1m'.repeat(8).slice(0, length)
const hex = (length: number) => '0123456789abcdef'.repeat(8).slice(0, length)
const upper = (length: number) => 'ABCDEFGHIJ234567'.repeat(4).slice(0, length)
const pem = (kind: string, between = '\n') =>
  [`-----BEGIN ${kind}PRIVATE KEY-----`, alnum(64), `${alnum(20)}==`, `-----END ${kind}PRIVATE KEY-----`].join(between)

/** One text per shape and way of writing: the text, the secret in it, what stays. */
export interface SecretSample {
  readonly shape: string
  readonly text: string
  readonly secret: string
  readonly redacted: string
}

const whole = (shape: string, secret: string): SecretSample => inContext(shape, secret, '', '')
const inContext = (shape: string, secret: string, before: string, after: string): SecretSample => {
  return { shape, secret, text: before + secret + after, redacted: `${before}[redacted:${shape}]${after}` }
}
const assigned = (before: string, secret: string, after = '') => inContext('password-assignment', secret, before, after)

export const secretSamples: readonly SecretSample[] = [
  whole('pem-private-key', pem('')),
  whole('pem-private-key', pem('RSA ')),
  whole('pem-private-key', pem('OPENSSH ', '\\n')),
  whole('pem-private-key', `-----BEGIN EC PRIVATE KEY-----\n${alnum(64)}`),
  whole('aws-access-key', `AKIA${upper(16)}`),
  whole('aws-access-key', `ASIA${upper(16)}`),
  inContext('aws-secret', `${alnum(38)}/+`, 'aws_secret_access_key = ', '\n'),
  inContext('aws-secret', `${alnum(38)}/+`, '"SecretAccessKey": "', '"'),
  whole('rollcall-key', `rollcall_abcdefgh2345_${alnum(43)}`),
  ...['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'].map((prefix) => whole('github-token', prefix + alnum(36))),
  whole('github-token', `github_pat_${alnum(22)}_${alnum(59)}`),
  whole('gitlab-token', `glpat-${alnum(20)}`),
  whole('slack-token', `xoxb-${hex(12)}-${hex(12)}-${alnum(24)}`),
  inContext('slack-webhook', `T${upper(8)}/B${upper(8)}/${alnum(24)}`, 'https://hooks.slack.com/services/', ''),
  inContext('discord-webhook', alnum(68), 'https://discord.com/api/webhooks/123456789012345678/', ''),
  whole('stripe-key', `sk_live_${alnum(24)}`),
  whole('stripe-key', `rk_test_${alnum(24)}`),
  whole('stripe-key', `whsec_${alnum(32)}`),
  whole('anthropic-key', `sk-ant-api03-${alnum(93)}AA`),
  whole('openai-key', `sk-proj-${alnum(48)}`),
  whole('openai-key', `sk-${alnum(48)}`),
  whole('google-api-key', `AIza${alnum(35)}`),
  whole('google-oauth', `ya29.${alnum(60)}`),
  whole('npm-token', `npm_${alnum(36)}`),
  whole('pypi-token', `pypi-AgEIcHlwaS5vcmc${alnum(60)}`),
  whole('sendgrid-key', `SG.${alnum(22)}.${alnum(43)}`),
  whole('twilio-key', `SK${hex(32)}`),
  whole('telegram-token', `123456789:AA${alnum(33)}`),
  whole('hugging-face-token', `hf_${alnum(34)}`),
  whole('groq-key', `gsk_${alnum(52)}`),
  whole('replicate-token', `r8_${alnum(37)}`),
  whole('docker-token', `dckr_pat_${alnum(27)}`),
  whole('digitalocean-token', `dop_v1_${hex(64)}`),
  whole('shopify-token', `shpat_${hex(32)}`),
  whole('databricks-token', `dapi${hex(32)}`),
  whole('vault-token', `hvs.${alnum(24)}`),
  whole('atlassian-token', `ATATT3${alnum(60)}=ABCDEF12`),
  whole('linear-key', `lin_api_${alnum(40)}`),
  whole('notion-token', `ntn_${alnum(46)}`),
  whole('age-key', `AGE-SECRET-KEY-1${upper(58)}`),
  whole('jwt', `eyJ${alnum(20)}.eyJ${alnum(40)}.${alnum(43)}`),
  inContext('bearer', 'opaque', 'Authorization: Bearer ', '\r\n'),
  inContext('bearer', alnum(24), 'sent bearer ', ' along'),
  inContext('basic-auth', 'dXNlcjpwYXNzd29yZA==', 'authorization: Basic ', ''),
  inContext('basic-auth', 'p@ss:w0rd', 'https://ada:', '@host.example/path'),
  inContext('basic-auth', alnum(24), 'https://', '@host.example/path'),
  inContext('database-url', 'p%40ss', 'postgres://ada:', '@127.0.0.1:5432/db'),
  inContext('database-url', 'pw', 'rediss://:', '@cache.example'),
  inContext('database-url', 'pw', 'mongodb+srv://ada:', '@cluster.example'),
  inContext('cookie', 'sid=abc123; theme=dark', 'Cookie: ', ''),
  inContext('cookie', 'sid=abc123; HttpOnly', 'Set-Cookie: ', '\r\n'),
  assigned('password=', 'hunter2'),
  assigned('DB_PASSWORD=', 'a,b', ';x=1'),
  assigned('PASSWORD="', 'two words', '"'),
  assigned("PASSWORD='", 'two words', "'"),
  assigned('"password": "', 'with \\"quotes\\" and \'more\'', '", "b": 1'),
  assigned('"api_key": "', 'abc', '"'),
  assigned('{"body":"{\\"clientSecret\\": \\"', 'in \\\\\\"two\\\\\\" layers', '\\"}"}'),
  assigned('SECRET_TOKEN=', 'abc123', '\n'),
  assigned('export API_KEY=', 'abc123', ''),
  assigned('?access_key=', 'abc123', '&page=2'),
  assigned('Server=db;Pwd=', 'x!9,z', ';Database=d'),
  assigned('AccountKey=', 'abc+/12==', ';EndpointSuffix=e'),
  assigned('password: ', 'hunter2', '\nuser: ada'),
  assigned('passphrase: ', 'correcthorse', '\n'),
  assigned('X-Api-Key: ', '12345abc', ''),
  assigned('run --password ', 'hunter2', ' --verbose'),
  assigned('"args": ["--token", "', 'S3C-ABC-1234', '", "-v"]'),
  assigned('<password>', 'hunter2', '</password>'),
]
