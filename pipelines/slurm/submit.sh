#!/bin/bash
# submit.sh SHARDS MANIFEST OUT [options of turnwise extract]: an array of SHARDS tasks, and a job that joins them.
# SBATCH_OPTS holds options of sbatch for the array: SBATCH_OPTS="--partition=long --mem=8G" submit.sh ...
set -euo pipefail

if [ "$#" -lt 3 ] || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: submit.sh SHARDS MANIFEST OUT [options of turnwise extract]" >&2
  exit 2
fi
shards=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
read -ra options <<<"${SBATCH_OPTS:-}"
export TURNWISE_SHARDS=$shards TURNWISE_SLURM=$here

array=$(sbatch --parsable --export=ALL --array="1-$shards" "${options[@]}" "$here/extract.sbatch" "$@")
# A federated cluster adds its name.
array=${array%%;*}
join=$(sbatch --parsable --export=ALL --dependency="afterany:$array" "$here/join.sbatch" "$@")
echo "array $array of $shards shards, joined by ${join%%;*}"
