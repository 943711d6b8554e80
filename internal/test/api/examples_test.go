package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/api"
)

const module = "github.com/lockpick-dev/lockpick"

// TestAliases: a type that a frozen package names as its own is frozen where it is declared, or said to be open.
func TestAliases(t *testing.T) {
	open := slices.Clone(api.OpenAliases)
	for _, p := range api.Frozen {
		aliases, err := p.Aliases(root, module)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range aliases {
			full := p.Dir + "." + name
			if i := slices.Index(open, full); i >= 0 {
				open = slices.Delete(open, i, i+1)
				continue
			}
			if !slices.ContainsFunc(api.Frozen, func(o api.Package) bool {
				return o.Dir == of[0] && (o.Names == nil || slices.Contains(o.Names, of[1]))
			}) {
				t.Errorf("%s is %s.%s, which may change: freeze it or say that it may", full, of[0], of[1])
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("no aliases: %q", open)
	}
}

// examples are the files of Go that pages show whole, and the declarations that the README shows, with what the reader has
// around them.
func examples(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for page, around := range map[string]string{
		"docs/bring-your-own-lock.md": "", "docs/bring-your-own-program.md": "",
		"README.md": `package readme

import (
	"context"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

type myAdapter struct {
	lock lock.Locker
	name string
	ttl  time.Duration
}

func (a myAdapter) Acquire(ctx context.Context) (lock.Lease, error) { return a.lock.Acquire(ctx) }

var mylock struct{ New func(*client.Client) lock.Locker }

func sendReminder(context.Context, *client.Client, func(string)) error { return nil }
`,
	} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```go\n")[1:] {
			block, _, _ = strings.Cut(block, "\n```")
			if whole := strings.HasPrefix(block, "package "); whole || around != "" {
				if !whole {
					list[page] += block + "\n"
				} else if i == 0 {
					list[page] = block
				}
			}
		}
		list[page] = around + list[page]
	}
	return list
}

// TestExamples: what pages show compiles, and of Lockpick it names what is frozen.
func TestExamples(t *testing.T) {
	promised := map[string]bool{}
	for _, p := range api.Frozen {
		names, err := p.Promises(root)
		if err != nil {
			t.Fatal(err)
		}
		for name := range names {
			promised[p.Dir+"."+name] = true
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exports(t))
	for page, source := range examples(t) {
		t.Run(page, func(t *testing.T) {
			file, err := parser.ParseFile(fset, page, source, 0)
			if err != nil {
				t.Fatal(err)
			}
			info := types.Info{Uses: map[*ast.Ident]types.Object{}}
			if _, err := (&types.Config{Importer: imports}).Check("example", fset, []*ast.File{file}, &info); err != nil {
				t.Fatal(err)
			}
			used := 0
			for _, o := range info.Uses {
				if name := nameOf(o); name != "" {
					used++
					if !promised[name] && !slices.Contains(api.OpenAliases, name) {
						t.Errorf("%s is not frozen", name)
					}
				}
			}
			if used < 8 {
				t.Errorf("it names %d declarations of Lockpick", used)
			}
		})
	}
}

// nameOf is the name of a declaration or method of Lockpick, empty for anything else. A field and a method of an
// interface are promised with their type.
func nameOf(o types.Object) string {
	if o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module+"/") {
		return ""
	}
	dir := strings.TrimPrefix(o.Pkg().Path(), module+"/") + "."
	switch o := o.(type) {
	case *types.Var:
		if o.IsField() {
			return ""
		}
	case *types.PkgName:
		return ""
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			name := dir + t.(*types.Named).Obj().Name()
			if types.IsInterface(t) {
				return name
			}
			return name + "." + o.Name()
		}
	}
	return dir + o.Name()
}

// exports are the compiled packages that the examples need.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Export",
		"./locktest", "./lock", "./program", "./stores/redis", "github.com/redis/go-redis/v9")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		files[p.ImportPath] = p.Export
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}
