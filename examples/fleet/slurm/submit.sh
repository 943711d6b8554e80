#!/bin/sh
# Submits a search in shards, and their merge:
#
#	SCENARIO=gc-pause LOCK=setpx RUNS=10000000 OUT=/shared/gc-pause ./submit.sh
#
# OUT is a directory that all nodes see. SHARDS and CPUS, of each job, are 8 and 4 unless they are set.
set -eu
: "${SCENARIO:?}" "${LOCK:?}" "${RUNS:?}" "${OUT:?}"
export SCENARIO LOCK RUNS OUT
here=$(dirname "$0")
search=$(sbatch --parsable --array="1-${SHARDS:-8}" --cpus-per-task="${CPUS:-4}" "$here/search.sbatch")
merge=$(sbatch --parsable --dependency="afterok:$search" --kill-on-invalid-dep=yes --cpus-per-task="${CPUS:-4}" "$here/merge.sbatch")
echo "shards $search, merge $merge"
