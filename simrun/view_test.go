package simrun

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The ending of the file, or --format, says what is written; what nobody can write is refused
// before there is a file.
func TestViewFormats(t *testing.T) {
	trace, err := filepath.Abs("../traces/corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, test := range []struct {
		args  []string
		file  string // that is written, or nothing
		begin string // of it, or of what is said
		code  int
	}{
		{[]string{"-o", "x.html"}, "x.html", "<!doctype html>", 0},
		{[]string{"-o", "x.svg"}, "x.svg", "<svg", 0},
		{[]string{"-o", "x.mmd"}, "x.mmd", "sequenceDiagram\n", 0},
		{[]string{"-o", "x.md"}, "x.md", "# no-lost-update is violated: setpx under gc-pause", 0},
		{[]string{"-o", "x.perfetto.json"}, "x.perfetto.json", `{"displayTimeUnit":"ms"`, 0},
		{[]string{"-o", "x.json"}, "x.json", "{\n  \"scenario\": \"gc-pause\"", 0},
		{[]string{"-o", "x.log"}, "x.log", "c2 {", 0},
		{[]string{"-o", "x", "--format", "shiviz"}, "x", "c2 {", 0},
		{[]string{"-o", "-", "--format", "mermaid"}, "", "sequenceDiagram\n", 0},
		{[]string{"-o", "-"}, "", "<!doctype html>", 0},
		{[]string{"-o", "x.pdf"}, "", "simrun: no format has the ending of x.pdf; there are html (.html), svg (.svg), markdown (.md)", 2},
		{[]string{"--format", "pdf"}, "", `simrun: there is no format "pdf"; there are html, svg`, 2},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Chdir(dir)
			code, said, errs := simrun(t, append([]string{"view", trace}, test.args...)...)
			said += errs
			if test.file != "" {
				written, err := os.ReadFile(test.file)
				if err != nil {
					t.Fatal(err)
				}
				said = string(written)
			}
			if code != test.code || !strings.HasPrefix(strings.TrimLeft(said, "\n"), test.begin) {
				t.Errorf("exit code %d, want %d; it begins with %.200q, want %q", code, test.code, said, test.begin)
			}
		})
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*pdf*")); err != nil || len(files) > 0 {
		t.Errorf("a refused format left %v, %v", files, err)
	}
}

// TestViewSeveral: each trace has its file beside it, which --open opens; what cannot be is refused before anything is written.
func TestViewSeveral(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"gc-pause_setpx_no-lost-update.json", "late-reply_setpx_no-lost-update.json"} {
		raw, err := os.ReadFile(filepath.Join("..", "traces", "corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], raw, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var opened []string
	defer func(old func(string) error) { openFile = old }(openFile)
	openFile = func(path string) error { opened = append(opened, path); return nil }
	for _, refused := range [][]string{{"-o", filepath.Join(dir, "x.html")}, {"--open", "-o", "-"}} {
		if code, _, errs := simrun(t, append(append([]string{"view"}, paths...), refused...)...); code != exitUsage || !strings.Contains(errs, "leave ") {
			t.Errorf("%q: exit code %d, %s", refused, code, errs)
		}
	}
	if pages, err := filepath.Glob(filepath.Join(dir, "*.html")); err != nil || len(pages)+len(opened) > 0 {
		t.Errorf("%q, %q, %v", pages, opened, err)
	}
	code, out, errs := simrun(t, append([]string{"view", "--open"}, paths...)...)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if code != 0 || err != nil || len(pages) != 2 || !slices.Equal(opened, pages) || strings.Count(out, "wrote ") != 2 {
		t.Errorf("exit code %d, wrote %q, opened %q: %s%s, %v", code, pages, opened, out, errs, err)
	}
	openFile = func(string) error { return errors.New("no browser") }
	if code, _, errs := simrun(t, "view", "--open", paths[0]); code != exitUsage || !strings.Contains(errs, "was written, and cannot be opened: no browser") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
