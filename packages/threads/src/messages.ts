/** What a thread says: once that it is ready, then for each question how far it is, and at the end the answer. */
export type ThreadMessage<Answer> =
  | 'ready'
  | { readonly progress: number; readonly answer?: undefined }
  | { readonly answer: { readonly value: Answer; readonly cpuMs: number } }
