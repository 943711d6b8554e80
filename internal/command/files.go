package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// IsPage returns an error if the name of a page, given by a flag, is not one of HTML.
func IsPage(flag, path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		return nil
	}
	if path == "" {
		return nil
	}
	return fmt.Errorf("%s %s: the page is HTML: want a name that ends with .html", flag, path)
}

// Writable returns an error if a file cannot be written, before the work is done. It creates no directory, so that a
// mistyped name is noticed.
func Writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s cannot be written: there is no directory %s", path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a directory or a device: name a file", path)
		}
	}
	return nil
}
