// Command checkrelease checks what a release was built into: that the files are those of all platforms and have
// the listed checksums, that the program of this machine runs and is what it should be, and that each list of
// modules (SBOM) names the client libraries that this program says it has.
//
//	go run ./internal/test/checkrelease -version 0.2.0 -commit c0ffee -stores STORE,... dist
//
// tools/release.sh calls it.
package main
