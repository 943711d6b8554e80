#!/usr/bin/env bash
# Compares the packages that are public as a whole with those of a release, by default the last
# one, and fails if code that was written against it need not compile any more:
#
#	tools/api.sh [TAG]
#
# What is public of other packages, and the forms of files, are in api/, which
# go test ./internal/test/api compares. Without a release there is nothing to compare: exit code 3.
set -euo pipefail
cd "$(dirname "$0")/.."
GO=${GO:-go}
packages=(lock lock/pull locktest)

tag=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)}
if [[ -z $tag ]]; then
  echo 'there is no release yet: no tag v* is an ancestor of this commit'
  exit 3
fi

old=$(mktemp -d)
trap 'git worktree remove --force "$old/tree" >/dev/null 2>&1 || true; rm -rf "$old"' EXIT
git worktree add -q --detach "$old/tree" "$tag"
module=$($GO list -m)
broken=0
for package in "${packages[@]}"; do
  if [[ ! -d $old/tree/$package ]]; then
    echo "$package: new since $tag"
    continue
  fi
  tool=("$GO" tool -modfile="$PWD/tools/go.mod" apidiff)
  (cd "$old/tree" && "${tool[@]}" -w "$old/export" "$module/$package")
  changes=$("${tool[@]}" -incompatible "$old/export" "$module/$package")
  if [[ -n $changes ]]; then
    printf '%s: since %s\n%s\n' "$package" "$tag" "$changes"
    broken=1
  else
    echo "$package: compatible with $tag"
  fi
done
exit $broken
