/** Where a secret comes from; the secret itself never stands in a file of ours. */
export type SecretRef =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly store: string }
  | { readonly command: readonly string[] }

/** How an MCP server is reached. `${VAR}` and `${VAR:-default}` are expanded once; `$${` gives a literal `${`. */
export type ServerDeclaration =
  | {
      readonly command: string
      readonly args?: readonly string[]
      /** Relative to the configuration's folder. */
      readonly cwd?: string
      readonly env?: Readonly<Record<string, string | SecretRef>>
    }
  | {
      readonly url: string
      readonly transport?: 'http'
      readonly auth?: { readonly bearer: SecretRef }
      readonly headers?: Readonly<Record<string, string | SecretRef>>
    }
