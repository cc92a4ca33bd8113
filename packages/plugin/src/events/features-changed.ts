/** The fact that what providers offer besides tools has changed. */
export class FeaturesChanged {
  static readonly type = 'featuresChanged'
  readonly generation: number
  /** Their prompts, or who may get them. */
  readonly prompts: boolean
  /** Their resources or templates, or who may read them. */
  readonly resources: boolean

  constructor(change: { readonly generation: number; readonly prompts: boolean; readonly resources: boolean }) {
    this.generation = change.generation
    this.prompts = change.prompts
    this.resources = change.resources
  }
}
