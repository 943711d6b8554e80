// Command build puts the playground into a directory of plain files, which any static host serves:
//
//	cd playground && go run ./build -o DIR
//
// All addresses in the files are relative, so that the directory may be copied anywhere. The programs are there
// uncompressed and compressed: the page decompresses them itself, so that the host need not. make playground runs it.
package main
