#!/bin/sh
# Builds simrun for all platforms into dist/, with checksums and a list of the modules in each binary (SBOM), and checks
# what came out.
#
#	tools/release.sh snapshot   build, and publish nothing
#	tools/release.sh release    build the tag that is checked out, and publish it as a draft (GITHUB_TOKEN)
#
# GO is the go command. REPEAT=1 builds a second time and compares the checksums. The tools are built once, into bin/release.
set -eu
goreleaser=github.com/goreleaser/goreleaser/v2@v2.15.1
cyclonedx=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
limit=3h # on a small machine that has nothing in its build cache, six platforms take more than the usual hour
cd "$(dirname "$0")/.."
go=${GO:-go}
tools=$PWD/bin/release
for tool in "$goreleaser" "$cyclonedx"; do
	name=$(echo "$tool" | sed 's/@.*//; s|/v[0-9]*$||; s|.*/||')
	if [ ! -x "$tools/$name" ] || ! "$go" version -m "$tools/$name" | grep -q "mod.*${tool#*@}"; then
		GOTOOLCHAIN=auto GOBIN=$tools "$go" install "$tool"
	fi
done
PATH=$tools:$PATH
LOCKPICK_VERSION=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' cell/version.go)
export PATH LOCKPICK_VERSION

check() {
	"$go" run ./internal/test/checkrelease -commit "$(git rev-parse HEAD)" -version "$1" -stores etcd,file,kube,mysql,postgres,redis,s3,zookeeper dist
}
case ${1:-} in
snapshot)
	goreleaser release --snapshot --clean --timeout "$limit"
	check "$LOCKPICK_VERSION-snapshot"
	if [ -n "${REPEAT:-}" ]; then
		first=$(mktemp)
		trap 'rm -f "$first"' EXIT
		cp dist/checksums.txt "$first"
		goreleaser release --snapshot --clean --timeout "$limit"
		diff "$first" dist/checksums.txt
		echo "The second build has the same checksums."
	fi
	;;
release)
	tag=$(git describe --exact-match --tags --match 'v*')
	if [ "$tag" != "v$LOCKPICK_VERSION" ]; then
		echo "release: the tag is $tag, and cell/version.go says $LOCKPICK_VERSION: change one of them" >&2
		exit 1
	fi
	GORELEASER_CURRENT_TAG=$tag # the commit has the tags of the other modules as well
	export GORELEASER_CURRENT_TAG
	goreleaser release --clean --timeout "$limit" --skip=publish # nothing is published that was not checked
	check "$LOCKPICK_VERSION"
	goreleaser release --clean --timeout "$limit"
	;;
*)
	echo "usage: tools/release.sh snapshot|release" >&2
	exit 2
	;;
esac
