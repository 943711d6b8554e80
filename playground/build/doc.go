// Command build puts the playground into a directory of plain files, which any static host serves:
//
//	cd playground && go run -ldflags='-X testing.testBinary=1' ./build -o DIR
//
// All addresses in the files are relative, so that the directory may be copied anywhere. The programs are there
// uncompressed and compressed: the page decompresses them itself, so that the host need not. make playground runs it.
//
// With this flag crypto/rand is seeded, which the client of S3 reads: without it, the hashes of runs that the page compares
// would differ from the browser's, and the command refuses.
package main
