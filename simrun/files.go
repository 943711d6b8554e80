package simrun

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// defaultOut is where searches write their traces.
const defaultOut = "simrun-out"

// sameFile reports whether both names are of one file that exists.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// ofDisk reports whether a disk that is full or broken is to blame for an error, or a limit of the machine on the sizes of files: no mistake of
// the command line, whatever was written or read. All of them may be others when the command is repeated.
func ofDisk(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE, syscall.EFBIG}, func(disk error) bool { return errors.Is(err, disk) })
}

// pageOf is the path of a trace's page.
func pageOf(trace string) string { return strings.TrimSuffix(trace, filepath.Ext(trace)) + ".html" }
