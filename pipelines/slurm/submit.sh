#!/bin/bash
# submit.sh SHARDS MANIFEST OUT [options of turnwise extract]: sends an array of SHARDS tasks.
# SBATCH_OPTS holds options of sbatch, set apart by blanks: SBATCH_OPTS="--partition=long --mem=8G" submit.sh ...
set -euo pipefail

if [ "$#" -lt 3 ] || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: submit.sh SHARDS MANIFEST OUT [options of turnwise extract]" >&2
  exit 2
fi
shards=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
read -ra options <<<"${SBATCH_OPTS:-}"
export TURNWISE_SHARDS=$shards
exec sbatch --export=ALL --array="1-$shards" "${options[@]}" "$here/extract.sbatch" "$@"
