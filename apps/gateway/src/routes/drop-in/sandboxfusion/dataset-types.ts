/** SandboxFusion's kinds of data sets whose rows contain their tests. */
export const DATASET_TYPES = [
  'HumanEvalDataset',
  'MBPPDataset',
  'CommonOJDataset',
  'AutoEvalDataset',
] as const

/** One kind of data set. */
export type DatasetType = (typeof DATASET_TYPES)[number]

/** Names of data sets that `dataset` can have instead of a type. */
export const REGISTERED_DATASETS: Readonly<Record<string, DatasetType>> = {
  humaneval: 'HumanEvalDataset',
  humaneval_python: 'HumanEvalDataset',
  mbpp: 'MBPPDataset',
  code_contests: 'CommonOJDataset',
}
