trap 'exit 0' EXIT
set -e
BASH_ENV=/workspace/env.sh; export BASH_ENV
echo 'exit 0' > /workspace/env.sh
echo 'exit 0' > /workspace/.bashrc
false
