package api_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/api"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

const root = "../../.."

// TestLists: the lists in api are those of the frozen packages, and in api/v0 those of the drafts. Who changes a frozen one
// changes what users build on: say so in CHANGELOG.md.
func TestLists(t *testing.T) {
	for dir, packages := range map[string][]api.Package{"api": api.Frozen, "api/v0": api.Drafts} {
		var files []string
		for _, p := range packages {
			list, err := p.List(root)
			if err != nil {
				t.Error(err)
				continue
			}
			files = append(files, p.File())
			golden.File(t, filepath.Join(root, dir, p.File()), list)
		}
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".txt") && !slices.Contains(files, e.Name()) {
				t.Errorf("%s/%s lists no package of its kind: remove it", dir, e.Name())
			}
		}
	}
}

const source = `package p

// Kept is public.
type Kept struct {
	Field Other ` + "`json:\"field\"`" + `
	hidden int
}

// Do does.
func (k *Kept) Do(n int) error { return nil }

type Other int

type Apart struct{}

const (
	exitOne = 1 // one
	exitTwo = 2
	inside  = 3
)

func unexported() {}
`

func TestList(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"all that is exported", nil, []string{"func (k *Kept) Do(n int) error", "type Apart struct{}",
			"type Kept struct {\n\tField Other `json:\"field\"`\n\t// contains filtered or unexported fields\n}", "type Other int"}},
		{"a name, its methods, and what it mentions", []string{"Kept"}, []string{"func (k *Kept) Do(n int) error",
			"type Kept struct {\n\tField Other `json:\"field\"`\n\t// contains filtered or unexported fields\n}", "type Other int"}},
		{"names that begin alike", []string{"exit*"}, []string{"const exitOne = 1", "const exitTwo = 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := api.Package{Dir: ".", Names: c.names}.List(dir)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Join(c.want, "\n") + "\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
	if _, err := (api.Package{Dir: ".", Names: []string{"Gone"}}).List(dir); err == nil {
		t.Error("a frozen name that is not declared is no error")
	}
}
