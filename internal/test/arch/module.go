package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Problem is one place where a rule is broken.
type Problem struct {
	Pos  token.Position
	Rule Rule
	// What is wrong, and what to Do about it.
	What, Do string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s: %s; %s", p.Pos.Filename, p.Pos.Line, p.Rule, p.What, p.Do)
}

// A Module is the parsed source of one Go module.
type Module struct {
	Path     string
	layout   []Unit
	fset     *token.FileSet
	packages []*pkg
	problems []Problem
}

// pkg is one directory of Go files.
type pkg struct {
	dir    string
	files  []*file
	broken bool // a file of it does not parse
}

// file is one parsed file.
type file struct {
	*ast.File
	name string
	test bool
	// built is set if the file is part of the package on this platform.
	built bool
}

// external reports whether the file belongs to an external test package.
func (f *file) external() bool { return f.test && strings.HasSuffix(f.Name.Name, "_test") }

// Load parses every Go file of the module whose root fsys is, and of its [Wings]. Other modules nested
// in it, testdata and hidden directories are not part of it.
func Load(fsys fs.FS) (*Module, error) {
	path, err := modulePath(fsys)
	if err != nil {
		return nil, err
	}
	m := &Module{Path: path, layout: Layout, fset: token.NewFileSet()}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(fsys, name):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		return m.parse(fsys, name)
	})
	return m, err
}

func modulePath(fsys fs.FS) (string, error) {
	text, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

// skipped reports whether a directory is no part of the module.
func skipped(fsys fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil && !slices.Contains(Wings, dir)
}

// parse adds one file to its package.
func (m *Module) parse(fsys fs.FS, name string) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	p := m.packageAt(path.Dir(name))
	syntax, err := parser.ParseFile(m.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		p.broken = true
		m.problems = append(m.problems, unparsed(name, err))
		return nil
	}
	here := build.Default
	here.JoinPath = path.Join
	here.OpenFile = func(name string) (r io.ReadCloser, err error) { return fsys.Open(name) }
	built, err := here.MatchFile(path.Dir(name), path.Base(name))
	if err != nil {
		return err
	}
	p.files = append(p.files, &file{File: syntax, name: name, test: strings.HasSuffix(name, "_test.go"), built: built})
	return nil
}

// packageAt returns the package of a directory. The walk is depth-first, so a
// directory's files may come after those of directories below it.
func (m *Module) packageAt(dir string) *pkg {
	for _, p := range m.packages {
		if p.dir == dir {
			return p
		}
	}
	p := &pkg{dir: dir}
	m.packages = append(m.packages, p)
	return p
}

func unparsed(name string, err error) Problem {
	pos := token.Position{Filename: name, Line: 1}
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) && len(list) > 0 {
		pos, err = list[0].Pos, errors.New(list[0].Msg)
	}
	return Problem{pos, Parse, err.Error(), "nothing can be said of a file that does not parse"}
}

// Externals lists the packages outside the module that its built non-test
// files import: what [Module.Check] needs export data for.
func (m *Module) Externals() []string {
	seen := map[string]bool{}
	for _, p := range m.packages {
		for _, f := range p.files {
			for _, spec := range f.Imports {
				if to := importPath(spec); f.built && !f.test && !m.own(to) {
					seen[to] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// own reports whether an import path is of this module.
func (m *Module) own(importPath string) bool {
	return importPath == m.Path || strings.HasPrefix(importPath, m.Path+"/")
}

// importPath is what an import names.
func importPath(spec *ast.ImportSpec) string {
	to, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser let it through
	}
	return to
}

// add notes a problem.
func (m *Module) add(pos token.Pos, rule Rule, what, do string) {
	m.problems = append(m.problems, Problem{m.fset.Position(pos), rule, what, do})
}

// unitOf returns the unit with the longest directory that holds dir, or nil.
func (m *Module) unitOf(dir string) *Unit {
	var best *Unit
	for i := range m.layout {
		u := &m.layout[i]
		if (dir == u.Dir || strings.HasPrefix(dir, u.Dir+"/")) && (best == nil || len(u.Dir) > len(best.Dir)) {
			best = u
		}
	}
	return best
}

// holds reports whether a rule that not every unit has holds in a file.
func (m *Module) holds(rule Rule, p *pkg, f *file) bool {
	u := m.unitOf(p.dir)
	return u != nil && slices.Contains(u.Rules, rule) && !slices.Contains(Owners[f.name], rule)
}
