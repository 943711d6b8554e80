package site

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is where links to the project's files lead.
const repository = "https://github.com/lockpick-dev/lockpick"

// TestLinks: each link of a page leads to a file of the site, and to an element with that id; each link to a file of the
// project leads to one that there is. Links are relative, so that the site may be anywhere.
func TestLinks(t *testing.T) {
	files := built(t)
	broken, links := brokenLinks(t, public, files, "..")
	for _, b := range broken {
		t.Error(b)
	}
	t.Logf("%d files, %d links", len(files), links)
	for kind, atLeast := range map[string]int{"scenarios/": 26, "locks/": 70, "properties/": 22, "guide/": 20, "track-record/": 1, "api/": 40, "experiments/": 10, "counterexamples/": 26} {
		n := 0
		for _, f := range files {
			if strings.HasPrefix(f, kind) && strings.HasSuffix(f, ".html") {
				n++
			}
		}
		if n < atLeast {
			t.Errorf("%s has %d pages, want at least %d", kind, n, atLeast)
		}
	}
}

// TestBrokenLinks: what TestLinks looks for is found.
func TestBrokenLinks(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"index.html":   `<a href="a/b.html#there">good</a><a href="a/b.html#gone">no id</a><a href="none.html">no file</a><a href="/a/b.html">from the root</a>`,
		"a/b.html":     `<h2 id="there">x</h2><h2 id="there">twice</h2><img src="../none.png"><a href="../index.html">good</a><a href="https://elsewhere.example">not looked at</a>`,
		"a/code.html":  `<a href="` + repository + `/blob/main/is.go#L1">good</a><a href="` + repository + `/tree/main/not">no file of the project</a>`,
		"a/empty.html": `<a href="">nowhere</a>`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "is.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, links := brokenLinks(t, dir, filesOf(t, dir), root)
	slices.Sort(got)
	want := []string{
		"a/b.html: ../none.png: there is no file none.png",
		"a/b.html: the id there is there twice",
		"a/code.html: " + repository + "/tree/main/not: the project has no file not",
		"a/empty.html: a link leads nowhere",
		"index.html: /a/b.html: it begins at the root of a host",
		"index.html: a/b.html#gone: a/b.html has no element with this id",
		"index.html: none.html: there is no file none.html",
	}
	if !slices.Equal(got, want) || links != 10 {
		t.Errorf("%d links, found:\n%s\nwant:\n%s", links, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// brokenLinks says which links of the pages in a directory lead nowhere, and how many there are in all. Root is the directory of
// the project.
func brokenLinks(t *testing.T, dir string, files []string, root string) (broken []string, links int) {
	there := map[string]bool{}
	pages := map[string]document{}
	for _, f := range files {
		there[f] = true
		// The pages of counterexamples are for one trace each, and tested elsewhere.
		if strings.HasSuffix(f, ".html") && !strings.HasPrefix(f, "counterexamples/") {
			pages[f] = parsed(t, filepath.Join(dir, f))
		}
	}
	for f, page := range pages { // unordered: the list is sorted where that matters
		for _, id := range page.twice {
			broken = append(broken, fmt.Sprintf("%s: the id %s is there twice", f, id))
		}
		links += len(page.refs)
		for _, ref := range page.refs {
			if what := wrongWith(ref, f, there, pages, root); what != "" {
				broken = append(broken, what)
			}
		}
	}
	return broken, links
}

// wrongWith says what is wrong with a reference of a page, nothing if it is right.
func wrongWith(ref, from string, there map[string]bool, pages map[string]document, root string) string {
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v", from, err)
	case ref == "":
		return from + ": a link leads nowhere"
	case u.IsAbs():
		return wrongInProject(ref, from, root)
	case strings.HasPrefix(ref, "/"):
		return fmt.Sprintf("%s: %s: it begins at the root of a host", from, ref)
	}
	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
	}
	if !there[to] {
		return fmt.Sprintf("%s: %s: there is no file %s", from, ref, to)
	}
	if page, is := pages[to]; is && u.Fragment != "" && !strings.Contains(u.Fragment, "=") && !page.ids[u.Fragment] { // with = it is what the playground is to search
		return fmt.Sprintf("%s: %s: %s has no element with this id", from, ref, to)
	}
	return ""
}

// wrongInProject is the same for a link to a file of the project.
func wrongInProject(ref, from, root string) string {
	rest, is := strings.CutPrefix(ref, repository+"/")
	_, file, in := strings.Cut(rest, "/main/")
	if !is || !in {
		return ""
	}
	file, _, _ = strings.Cut(file, "#")
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
		return fmt.Sprintf("%s: %s: the project has no file %s", from, ref, file)
	}
	return ""
}
