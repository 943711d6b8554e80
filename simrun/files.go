package simrun

import (
	"path/filepath"
	"strings"
)

// pageOf returns the path of a trace's page.
func pageOf(trace string) string { return strings.TrimSuffix(trace, filepath.Ext(trace)) + ".html" }
