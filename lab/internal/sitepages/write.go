package sitepages

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Options configure [Write].
type Options struct {
	// Root is the directory of the project, and Out the directory to write: earlier contents are removed.
	Root, Out string
	// Worker runs the searches for counterexamples, and Jobs is the number of its processes at a time. The pages do not depend
	// on Jobs.
	Worker explore.Worker
	Jobs   int
	// Progress, if not nil, is called with a description of each step.
	Progress func(what string)
}

// marker marks a directory as made by Write, which removes no other.
const marker = ".made-by-sitepages"

// Write makes contents, data and files for Hugo, below Out. An error names its file or cell.
func Write(ctx context.Context, o Options) error {
	if err := o.clear(); err != nil {
		return err
	}
	k, err := newKnown(o)
	if err != nil {
		return err
	}
	s := &site{Options: o, known: k, ctx: ctx, addresses: addresses{}}
	for _, part := range []struct {
		what  string
		write func() error
	}{
		{"guide", s.guide}, {"experiments", s.experiments}, {"track record", s.trackRecord}, {"properties", s.properties},
		{"scenarios", s.scenarios}, {"locks", s.locks}, {"matrix", s.matrices}, {"API", s.api}, {"addresses", s.writeAddresses},
	} {
		s.progress(part.what)
		if err := part.write(); err != nil {
			return fmt.Errorf("%s: %w", part.what, err)
		}
	}
	return nil
}

// clear removes the output of an earlier Write.
func (o *Options) clear() error {
	entries, err := os.ReadDir(o.Out)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	mark := filepath.Join(o.Out, marker)
	if _, err := os.Stat(mark); err != nil && len(entries) > 0 {
		return fmt.Errorf("%s has files that sitepages has not made: give an empty directory", o.Out)
	}
	if err := os.RemoveAll(o.Out); err != nil {
		return err
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o644) //nolint:gosec // for everybody
}

// site is a site under construction.
type site struct {
	Options
	*known
	ctx       context.Context
	addresses addresses
	// stories are the counterexamples, by the scenario.
	stories map[string]*story
}

func (s *site) progress(what string) {
	if s.Progress != nil {
		s.Progress(what)
	}
}

// front is the front matter of a page.
type front struct {
	Title string `json:"title"`
	// LinkTitle is the short title, and Description a line below it.
	LinkTitle   string `json:"linkTitle,omitempty"`
	Description string `json:"description,omitempty"`
	Weight      int    `json:"weight,omitempty"`
	Layout      string `json:"layout,omitempty"`
	Params      any    `json:"params,omitempty"`
}

// document are the params of a page that is a document of the project.
type document struct {
	// Source is its path below the root, from which its links start.
	Source string `json:"source"`
	// Group is the heading that it is listed under.
	Group string `json:"group,omitempty"`
	// About is its description in a list.
	About string `json:"about,omitempty"`
}

// page writes a page at a path below content, such as "guide/locks.md", with its text in Markdown.
func (s *site) page(path string, f front, text string) error {
	var b bytes.Buffer
	if err := encode(&b, f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	b.WriteString("\n" + text)
	return s.file(filepath.Join("content", path), b.Bytes())
}

// data writes a file of data for the layouts.
func (s *site) data(name string, v any) error {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.file(filepath.Join("data", name+".json"), b.Bytes())
}

func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// file writes a file below Out.
func (s *site) file(path string, content []byte) error {
	path = filepath.Join(s.Out, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644) //nolint:gosec // for everybody
}

// read reads a file of the project.
func (s *site) read(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(path)))
	return string(text), err
}

// picture copies a picture of the project to the site, and records its address.
func (s *site) picture(path string) error {
	text, err := s.read(path)
	if err != nil {
		return err
	}
	at := "pictures/" + filepath.Base(path)
	s.addresses[path] = address{File: at}
	return s.file(filepath.Join("static", at), []byte(text))
}
