package sitepages

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// guideGroups are the documents of the guide by their headings, each a path below the root. Other documents in docs are listed
// under the last heading.
var guideGroups = []struct {
	title string
	files []string
}{
	{"Start", []string{"docs/bring-your-own-lock.md", "docs/bring-your-own-program.md", "docs/bring-your-own-store.md", "docs/check-reference.md", "docs/debugging.md", "docs/troubleshooting.md", "docs/simrun.md", "docs/fleet.md", "docs/attach.md", "docs/kubernetes.md"}},
	{"Locks and stores", []string{"docs/locks.md", "docs/matrix.md", "docs/envelope.md", "docs/topologies.md", "etcd/README.md"}},
	{"Trust", []string{"docs/trust.md", "docs/limits.md", "docs/security.md", "docs/confirm.md", "docs/checking.md", "docs/certified.md", "docs/history-format.md", "docs/versions.md", "docs/adoption.md"}},
	{"Figures", []string{"docs/lockbench.md", "docs/search.md", "docs/search-faults.md", "docs/search-storm.md", "docs/search-tried.md", "docs/speed.md"}},
	{"The project", []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "examples/trackrecord/README.md"}},
	{"More", nil},
}

// elsewhere are documents in docs that are not pages of the guide.
var elsewhere = []string{"docs/properties.md", "docs/experiments.md", "docs/track-record.md"}

// guidePictures are the pictures in documents of the guide.
var guidePictures = []string{"docs/envelope.svg", "docs/lockbench.svg"}

// guideNames are the names of pages whose file names are unclear.
var guideNames = map[string]string{
	"etcd/README.md": "etcd", "examples/README.md": "examples", "examples/trackrecord/README.md": "track-record-modules",
}

// shortTitles are titles for lists, of documents whose own titles are ambiguous there.
var shortTitles = map[string]string{
	"docs/search-faults.md": "… in the other scenarios", "docs/search-storm.md": "… by faults of two kinds", "examples/trackrecord/README.md": "Modules of the track record",
}

// guide writes the front page and the guide.
func (s *site) guide() error {
	if err := s.readme(); err != nil {
		return err
	}
	known := slices.Clone(elsewhere)
	for _, g := range guideGroups {
		known = append(known, g.files...)
	}
	found, err := filepath.Glob(filepath.Join(s.Root, "docs", "*.md"))
	if err != nil {
		return err
	}
	weight := 1
	for i, g := range guideGroups {
		files := g.files
		if i == len(guideGroups)-1 {
			for _, f := range found {
				if f = "docs/" + filepath.Base(f); !slices.Contains(known, f) {
					files = append(files, f)
				}
			}
		}
		for _, f := range files {
			weight++
			if err := s.guidePage(f, g.title, weight); err != nil {
				return err
			}
		}
	}
	for _, picture := range guidePictures {
		if err := s.picture(picture); err != nil {
			return err
		}
	}
	return s.page("guide/_index.md", front{Title: "Guide", Description: "How to test a lock, or the code that uses one; what is judged, and how far to trust it."}, "")
}

// guidePage writes one page of the guide.
func (s *site) guidePage(file, group string, weight int) error {
	title, text, err := s.document(file)
	if err != nil {
		return err
	}
	name := guideNames[file]
	if name == "" {
		name = strings.ToLower(strings.TrimSuffix(path.Base(file), ".md"))
	}
	s.addresses[file] = address{Page: "/guide/" + name}
	return s.page("guide/"+name+".md", front{Title: title, LinkTitle: shortTitles[file], Weight: weight, Params: document{file, group, firstSentence(text)}}, text)
}

// document reads a document of the project: its title, and the text below it.
func (s *site) document(file string) (title, text string, err error) {
	text, err = s.read(file)
	if err != nil {
		return "", "", err
	}
	title, text, found := strings.Cut(text, "\n")
	title, is := strings.CutPrefix(title, "# ")
	if !found || !is {
		return "", "", fmt.Errorf("%s: the first line must be its title: # Title", file)
	}
	return title, tables(text), nil
}

// wideTables matches the tables of expectations of the locks over a store.
var wideTables = regexp.MustCompile(`(?s)<!-- simrun matrix --expected --store ([a-z0-9]+) -->\n.*?<!-- end -->\n`)

// tables replaces tables of expectations by the site's coloured one, and the picture of the matrix by the whole matrix.
func tables(text string) string {
	text = wideTables.ReplaceAllString(text, `{{< matrix store="$1" >}}`+"\n")
	return matrixPicture.ReplaceAllString(text, `{{< matrix >}}`)
}

var matrixPicture = regexp.MustCompile(`!\[[^\]]*\]\(matrix\.png\)`)

// readme makes the front page of the README's first screen, and the first page of the guide of the rest.
func (s *site) readme() error {
	title, text, err := s.document("README.md")
	if err != nil {
		return err
	}
	first, rest, found := strings.Cut(text, "\n## ")
	if !found {
		return fmt.Errorf("README.md: there is no heading (##) after the first screen")
	}
	s.addresses["README.md"] = address{Page: "/"}
	if err := s.frontPicture(); err != nil {
		return err
	}
	if err := s.page("_index.md", front{Title: title, Params: document{Source: "README.md"}}, first); err != nil {
		return err
	}
	return s.page("guide/first-steps.md", front{Title: "First steps", Weight: 1, Params: document{"README.md", guideGroups[0].title, "Your own lock, your own program, and what has been found."}}, "## "+rest)
}
