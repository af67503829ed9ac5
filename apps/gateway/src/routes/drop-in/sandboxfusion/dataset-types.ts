/** SandboxFusion's kinds of data sets whose rows carry their tests. */
export const DATASET_TYPES = [
  'HumanEvalDataset',
  'MBPPDataset',
  'CommonOJDataset',
  'AutoEvalDataset',
] as const

/** One kind of data set. */
export type DatasetType = (typeof DATASET_TYPES)[number]

/** Data sets that are known by name. */
export const REGISTERED_DATASETS: Readonly<Record<string, DatasetType>> = {
  humaneval: 'HumanEvalDataset',
  humaneval_python: 'HumanEvalDataset',
  mbpp: 'MBPPDataset',
  code_contests: 'CommonOJDataset',
}
