#!/bin/sh
# Makes pictures with a Chromium: the page of a counterexample, for the README, and that of the matrix, for
# docs/matrix.md.
#
#	tools/screens.sh [counterexample] [matrix]
#
# GO is the go command, CHROMIUM the browser.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/bin"
${GO:-go} build -o "$work/bin/simrun" ./cmd/simrun
cd "$work"

# shot PAGE WIDTHxHEIGHT PICTURE
shot() {
	"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--window-size="$(echo "$2" | tr x ,)" --screenshot="$3" "file://$work/$1" >/dev/null 2>&1
	test -s "$3"
}

for screen in "${@:-counterexample matrix}"; do
	for one in $screen; do
		case $one in
		counterexample)
			bin/simrun run gc-pause >/dev/null || [ $? = 1 ]
			bin/simrun view simrun-out/gc-pause_setpx_no-lost-update_limit.json -o page.html >/dev/null
			shot page.html 1240x1900 "$root/docs/counterexample.png"
			;;
		matrix)
			bin/simrun matrix --store redis --runs 128 -o matrix.html >/dev/null || [ $? = 1 ]
			shot matrix.html 1500x1640 "$root/docs/matrix.png"
			;;
		*)
			echo "screens: there is no screen $one; there are counterexample and matrix" >&2
			exit 2
			;;
		esac
	done
done
