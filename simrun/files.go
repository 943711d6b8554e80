package simrun

import (
	"errors"
	"fmt"
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

// isPage refuses a name for a page, given by a flag, that is not one of HTML.
func isPage(flag, path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		return nil
	}
	if path == "" {
		return nil
	}
	return fmt.Errorf("%s %s: the page is HTML: want a name that ends with .html", flag, path)
}

// writable refuses files that cannot be written, before the work is done. It creates no
// directory: a name that was mistyped is to be noticed.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s cannot be written: there is no directory %s", path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a directory: name a file", path)
		}
	}
	return nil
}

// ofDisk reports whether a disk that is full or broken is to blame for an error, or a limit of the machine on the sizes of files: no mistake of
// the command line, whatever was written or read. All of them may be others when the command is repeated.
func ofDisk(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE, syscall.EFBIG}, func(disk error) bool { return errors.Is(err, disk) })
}

// pageOf is the path of a trace's page.
func pageOf(trace string) string { return strings.TrimSuffix(trace, filepath.Ext(trace)) + ".html" }
