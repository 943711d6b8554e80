package arch

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
)

// Exports finds the export data of packages and of all that they import, by
// asking the go command in dir. What is not in the build cache is compiled.
func Exports(dir string, packages []string) (map[string]string, error) {
	exports := map[string]string{}
	if len(packages) == 0 {
		return exports, nil
	}
	const format = "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"
	cmd := exec.Command("go", append([]string{"list", "-e", "-export", "-deps", "-f", format, "--"}, packages...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -export: %w\n%s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			exports[name] = file
		}
	}
	return exports, nil
}

// maxTypeErrors is how many type errors of one package are shown.
const maxTypeErrors = 3

// typing type-checks the module's packages, each when it is first imported.
type typing struct {
	m       *Module
	outside types.Importer
	started map[*pkg]bool
	done    map[*pkg]*types.Package
	info    map[*pkg]*types.Info
}

// typeCheck checks what every package is on this platform, without its tests.
func (m *Module) typeCheck(exports map[string]string) map[*pkg]*types.Info {
	lookup := func(path string) (io.ReadCloser, error) {
		name, ok := exports[path]
		if !ok {
			return nil, errors.New("no export data")
		}
		return os.Open(name)
	}
	t := &typing{
		m:       m,
		outside: importer.ForCompiler(m.fset, "gc", lookup),
		started: map[*pkg]bool{},
		done:    map[*pkg]*types.Package{},
		info:    map[*pkg]*types.Info{},
	}
	for _, p := range m.packages {
		t.check(p)
	}
	return t.info
}

// Import implements types.Importer.
func (t *typing) Import(to string) (*types.Package, error) {
	if !t.m.own(to) {
		return t.outside.Import(to)
	}
	dir := strings.TrimPrefix(strings.TrimPrefix(to, t.m.Path), "/")
	for _, p := range t.m.packages {
		if p.dir == path.Clean(dir) {
			if checked := t.check(p); checked != nil {
				return checked, nil
			}
			return nil, errors.New("does not type-check, or is part of an import cycle")
		}
	}
	return nil, errors.New("no such package in the module")
}

// check returns the types of a package, or nil if there are none to be had.
func (t *typing) check(p *pkg) *types.Package {
	if t.started[p] || p.broken {
		return t.done[p]
	}
	t.started[p] = true
	var files []*ast.File
	for _, f := range p.files {
		if f.built && !f.test {
			files = append(files, f.File)
		}
	}
	if len(files) == 0 {
		return nil
	}
	errs := 0
	config := types.Config{
		Importer: t,
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if errs++; errs <= maxTypeErrors {
				t.report(files[0].Name.Pos(), err)
			}
		},
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	// The error has been reported; what could be typed is still of use.
	checked, _ := config.Check(path.Join(t.m.Path, p.dir), t.m.fset, files, info)
	t.done[p], t.info[p] = checked, info
	return checked
}

func (t *typing) report(pos token.Pos, err error) {
	var te types.Error
	if errors.As(err, &te) {
		pos, err = te.Pos, errors.New(te.Msg)
	}
	t.m.add(pos, Types, err.Error(), "map iterations cannot be found in code that does not type-check")
}
