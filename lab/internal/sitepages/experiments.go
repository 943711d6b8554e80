package sitepages

import (
	"fmt"
	"strings"
)

// experiments writes a page for each experiment of docs/experiments.md.
func (s *site) experiments() error {
	const file = "docs/experiments.md"
	title, text, err := s.document(file)
	if err != nil {
		return err
	}
	sections := strings.Split("\n"+text, "\n## ")
	if len(sections) == 1 {
		return fmt.Errorf("%s has no experiment: a section (##) for each", file)
	}
	s.addresses[file] = address{Page: "/experiments", Split: true}
	about := front{Title: title, Description: "What locks cost, and which figures of published documents hold: in virtual time, and on real servers.", Params: document{Source: file}}
	if err := s.page("experiments/_index.md", about, sections[0]); err != nil {
		return err
	}
	for i, section := range sections[1:] {
		id, text, _ := strings.Cut(section, "\n")
		question, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
		rest := strings.TrimPrefix(strings.TrimSpace(text), question)
		// Headings move up by one: the page's title was one of the second level.
		rest = strings.ReplaceAll(rest, "\n### ", "\n## ")
		f := front{Title: id, Description: strings.ReplaceAll(question, "\n", " "), Weight: i + 1, Params: document{Source: file}}
		if err := s.page("experiments/"+id+".md", f, rest+"\n"); err != nil {
			return err
		}
	}
	return nil
}
