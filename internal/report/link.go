package report

import (
	"net/url"
	"path/filepath"
)

// Link returns a link from a page to a file, both given by their paths: relative if that is possible,
// and escaped as a URL.
func Link(page, file string) string {
	path := file
	from, errFrom := filepath.Abs(filepath.Dir(page))
	to, errTo := filepath.Abs(file)
	if errFrom == nil && errTo == nil {
		path = to
		if rel, err := filepath.Rel(from, to); err == nil {
			path = rel
		}
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
