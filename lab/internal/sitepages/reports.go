package sitepages

import (
	"os"
	"path/filepath"
	"strings"
)

// trackRecord writes the track record, and a page for each report with the test that reproduces it.
func (s *site) trackRecord() error {
	const file, reports = "docs/track-record.md", "docs/reports/README.md"
	title, text, err := s.document(file)
	if err != nil {
		return err
	}
	s.addresses[file] = address{Page: "/track-record"}
	if err := s.page("track-record/_index.md", front{Title: title, Params: document{Source: file, About: firstSentence(text)}}, text); err != nil {
		return err
	}
	title, text, err = s.document(reports)
	if err != nil {
		return err
	}
	s.addresses[reports] = address{Page: "/track-record/reports"}
	s.addresses["docs/reports"] = s.addresses[reports]
	if err := s.page("track-record/reports.md", front{Title: title, Weight: 1, Params: document{Source: reports}}, text); err != nil {
		return err
	}
	dirs, err := os.ReadDir(filepath.Join(s.Root, "docs", "reports"))
	if err != nil {
		return err
	}
	for i, d := range dirs {
		if !d.IsDir() {
			continue
		}
		if err := s.report(d.Name(), i+2); err != nil {
			return err
		}
	}
	return nil
}

// report writes the page of a report.
func (s *site) report(name string, weight int) error {
	dir := "docs/reports/" + name
	title, text, err := s.document(dir + "/README.md")
	if err != nil {
		return err
	}
	test, err := s.read(dir + "/x_test.go")
	if err != nil {
		return err
	}
	for _, path := range []string{dir, dir + "/README.md"} {
		s.addresses[path] = address{Page: "/track-record/" + name}
	}
	s.addresses[dir+"/x_test.go"] = address{Page: "/track-record/" + name, Anchor: "the-test"}
	text = strings.TrimRight(text, "\n") + "\n\n## The test {#the-test}\n\n```go\n" + strings.TrimSpace(test) + "\n```\n"
	return s.page("track-record/"+name+".md", front{Title: title, LinkTitle: name, Weight: weight, Params: document{Source: dir + "/README.md"}}, text)
}
