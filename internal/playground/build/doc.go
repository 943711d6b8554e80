// Command build puts the playground into a directory of plain files, which any static host serves:
//
//	go run ./internal/playground/build -o DIR
//
// All addresses in the files are relative, so that the directory may be copied to anywhere. The programs are there as they
// are and compressed: the page decompresses them by itself, so that the host need not. The command is run
// in Lockpick's module; make playground runs it.
package main
