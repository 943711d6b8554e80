#!/bin/sh
# Says which libraries of examples/adoption have newer versions:
#
#	tools/newest-libraries.sh [run]
#
# With run it also gets them in a copy, searches all, and prints which lines of the matrix differ from those of the versions in go.mod: the exit
# code is 1 if any does. GO is the go command; RUNS is the number of schedules of each cell.
set -eu
cd "$(dirname "$0")/../examples/adoption"
go=${GO:-go} runs=${RUNS:-16}
newer=$(for module in $(sed -n 's/.*module: *"\([^"]*\)".*/\1/p' ./*.go | sort -u); do
	$go list -m -u -f '{{with .Update}}{{.Path}} {{.Version}}{{end}}' "$module" ||
		echo "$module: whether there is a newer version is not known" >&2
done)
[ -n "$newer" ] || { echo 'no newer version is known'; exit 0; }
echo "$newer"
[ "${1:-}" = run ] || exit 0

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
$go build -ldflags='-X testing.testBinary=1' -o "$dir/before" .
cp go.mod go.sum "$dir"
(cd "$dir" && $go mod edit -json) | sed -n 's,.*"Path": "\(\.\./[^"]*\)".*,\1,p' | sort -ur | while read -r to; do
	sed "s,=> $to\$,=> $(cd "$to" && pwd)," "$dir/go.mod" >"$dir/next" && mv "$dir/next" "$dir/go.mod"
done
cp ./*.go "$dir"
(cd "$dir" && echo "$newer" | sed 's/ /@/' | xargs "$go" get && $go mod tidy && $go build -ldflags='-X testing.testBinary=1' -o after .)
for which in before after; do
	(cd "$dir" && "./$which" matrix --runs="$runs" || [ $? = 1 ]) | sed "s/, in [0-9.hms]*$//; s,\./$which,adoption,g" >"$dir/$which.txt"
done
diff "$dir/before.txt" "$dir/after.txt"
