package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// public is where `make site` has built the site.
const public = "public"

// built are the paths of all files of the site, with slashes.
func built(t testing.TB) []string {
	t.Helper()
	files := filesOf(t, public)
	if len(files) == 0 {
		t.Fatal("there is no site in site/public: run `make site` first")
	}
	return files
}

func filesOf(t testing.TB, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		path, err = filepath.Rel(dir, path)
		list = append(list, filepath.ToSlash(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// document is what a page refers to.
type document struct {
	// ids are what a link can lead to, and twice those that are there more than once.
	ids   map[string]bool
	twice []string
	refs  []string
}

// referring are the attributes by which elements refer to others.
var referring = map[string]string{"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}

func parsed(t testing.TB, path string) document {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	root, err := html.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	d := document{ids: map[string]bool{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				if d.ids[a.Val] {
					d.twice = append(d.twice, a.Val)
				}
				d.ids[a.Val] = true
			case a.Key == referring[n.Data]:
				d.refs = append(d.refs, strings.TrimSpace(a.Val))
			}
		}
	}
	return d
}
