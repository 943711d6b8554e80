// Command checkrelease checks the files of a release: that they are those of all platforms and have the listed checksums,
// that the program of this machine runs and has the expected version, and that each list of modules (SBOM) names the
// client libraries of that program.
//
//	go run ./internal/test/checkrelease -version 0.2.0 -commit c0ffee -stores STORE,... dist
//
// tools/release.sh calls it.
package main
