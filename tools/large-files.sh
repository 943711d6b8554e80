#!/usr/bin/env bash
# Fails if git tracks a file of more than 1 MB that the list below does not name. A built
# program or an archive stays in every clone for good.
#
#	tools/large-files.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# Files that may be larger, each with the reason. There is none so far.
allowed=()

limit=1000000 # bytes
bad=0
while read -r size file; do
  if ((size > limit)) && [[ $file != total && " ${allowed[*]-} " != *" $file "* ]]; then
    printf '%s: %d bytes is over the limit of %d: remove it from git (git rm --cached), ignore it, or name it in tools/large-files.sh\n' "$file" "$size" "$limit"
    bad=1
  fi
done < <(git ls-files -z | xargs -0 wc -c 2>/dev/null) # a file that is deleted is none
exit $bad
