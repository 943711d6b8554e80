package export

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// modulePath is Lockpick's path, and partsPath that of the parts of tests.
const (
	modulePath = "github.com/lockpick-dev/lockpick"
	partsPath  = modulePath + "/real/export/parts"
)

// Sources returns the source of a package by its import path, which ends in _test for a package of tests. It returns nil
// for a package that is imported, not copied.
type Sources func(path string) fs.FS

func (s Sources) has(path string) bool { return s.dir(path) != nil }

// parts has the source code of package parts.
//
//go:embed parts/*.go
var parts embed.FS

// dir returns the directory of a package, nil if it is imported.
func (s Sources) dir(path string) fs.FS {
	if path != partsPath {
		return s(path)
	}
	dir, err := fs.Sub(parts, "parts")
	if err != nil {
		panic(err) // the name is valid
	}
	return dir
}

// read parses a package.
func (s Sources) read(path string, tests bool) (*source, error) {
	dir := s.dir(path)
	if dir == nil {
		return nil, errors.New("it is not known")
	}
	p := &source{path: path, dir: dir, set: token.NewFileSet(), decls: map[string]*declaration{}, methods: map[string][]*declaration{}}
	names, err := fs.Glob(dir, "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := p.add(name, strings.HasSuffix(path, "_test"), tests); err != nil {
			return nil, err
		}
	}
	if p.name == "" {
		return nil, errors.New("it has no files")
	}
	return p, nil
}

// source is a package.
type source struct {
	path, name string
	dir        fs.FS
	set        *token.FileSet
	files      []*fileOfSource
	decls      map[string]*declaration
	methods    map[string][]*declaration // by the type
}

// Name is a declaration of a package.
type Name struct{ Path, Name string }

// fileOfSource is a file with its name.
type fileOfSource struct {
	*file
	name string
}

// file is a file of a package.
type file struct {
	text    []byte
	syntax  *ast.File
	imports map[string]string // paths by the names that the file may use
	free    map[*ast.Ident]bool
}

// declaration is a declaration of a package.
type declaration struct {
	file     *file
	node     ast.Node
	doc      *ast.CommentGroup
	from, to token.Pos
	keyword  string
	names    []*ast.Ident
	whole    []string // all names of a group that is kept as a whole
	embedded string   // the patterns of a go:embed
	isFiles  bool     // and whether it is an embed.FS
	named    map[string]string
}

// add parses a file. Test files belong to the package if it is one of tests.
func (p *source) add(name string, tests, own bool) error {
	text, err := fs.ReadFile(p.dir, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(p.set, name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	external := strings.HasSuffix(syntax.Name.Name, "_test")
	if tests != external || strings.HasSuffix(name, "_test.go") && !tests && !own || excluded(syntax) {
		return nil
	}
	p.name = strings.TrimSuffix(syntax.Name.Name, "_test")
	f := &file{text: text, syntax: syntax, imports: map[string]string{}, free: map[*ast.Ident]bool{}}
	for _, id := range syntax.Unresolved {
		f.free[id] = true
	}
	ast.Inspect(syntax, func(n ast.Node) bool { // fields are not declarations
		if l, ok := n.(*ast.CompositeLit); ok {
			f.skipKeys(l)
		}
		return true
	})
	for _, i := range syntax.Imports {
		at, _ := strconv.Unquote(i.Path.Value)
		if i.Name != nil {
			f.imports[i.Name.Name] = at
			continue
		}
		for _, name := range guess(at) {
			if f.imports[name] == "" {
				f.imports[name] = at
			}
		}
	}
	p.files = append(p.files, &fileOfSource{f, name})
	for _, d := range syntax.Decls {
		p.declare(f, d)
	}
	return nil
}

// skipKeys marks the names of fields in a literal as fields.
func (f *file) skipKeys(l *ast.CompositeLit) {
	switch l.Type.(type) {
	case *ast.MapType, *ast.ArrayType:
		return
	}
	for _, e := range l.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				delete(f.free, id)
				id.Obj = nil
			}
		}
	}
}

// excluded reports whether a file is excluded on Linux. Parts whose libraries are not in this module have the tag ignore,
// which `go mod tidy` skips.
func excluded(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if e, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.Package {
				return !e.Eval(func(tag string) bool {
					return tag == "linux" || tag == "unix" || tag == "ignore" || strings.HasPrefix(tag, "go1.")
				})
			}
		}
	}
	return false
}

// declare adds a declaration.
func (p *source) declare(f *file, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		one := &declaration{file: f, node: d, doc: d.Doc, from: d.Pos(), to: d.End()}
		if d.Recv == nil {
			one.names = []*ast.Ident{d.Name}
			p.decls[d.Name.Name] = one
			return
		}
		if of := receiver(d.Recv.List[0].Type); of != "" {
			p.methods[of] = append(p.methods[of], one)
		}
	case *ast.GenDecl:
		if d.Tok != token.IMPORT {
			p.declareGroup(f, d)
		}
	}
}

func (p *source) declareGroup(f *file, d *ast.GenDecl) {
	if d.Tok == token.CONST && counts(d) {
		one := &declaration{file: f, node: d, doc: d.Doc, from: d.Pos(), to: d.End()}
		for _, s := range d.Specs {
			one.names = append(one.names, s.(*ast.ValueSpec).Names...)
		}
		for _, id := range one.names {
			one.whole = append(one.whole, id.Name)
		}
		for _, name := range one.whole {
			p.decls[name] = one
		}
		return
	}
	for _, s := range d.Specs {
		one := &declaration{file: f, node: s, from: s.Pos(), to: s.End(), keyword: d.Tok.String() + " ", doc: d.Doc}
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc != nil || d.Lparen.IsValid() {
				one.doc = s.Doc
			}
			one.names = []*ast.Ident{s.Name}
		case *ast.ValueSpec:
			one.names = s.Names
			if d.Lparen.IsValid() {
				one.doc = s.Doc
			}
			one.embed(s)
		}
		for _, id := range one.names {
			p.decls[id.Name] = one
		}
	}
}

// embed records the files that the compiler puts into a variable.
func (d *declaration) embed(s *ast.ValueSpec) {
	if d.doc == nil || len(s.Names) != 1 {
		return
	}
	for _, c := range d.doc.List {
		if patterns, ok := strings.CutPrefix(c.Text, "//go:embed "); ok {
			d.embedded = patterns
			_, d.isFiles = s.Type.(*ast.SelectorExpr)
		}
	}
}

// counts reports whether constants use iota.
func counts(d *ast.GenDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return !found
	})
	return found
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// importOf returns the path of the package that an expression names.
func (f *file) importOf(x ast.Expr) (path string, ok bool) {
	id, is := x.(*ast.Ident)
	if !is || !f.free[id] {
		return "", false
	}
	path, ok = f.imports[id.Name]
	return path, ok
}

// ofPackage reports whether an identifier is a declaration of its package.
func (f *file) ofPackage(s *source, id *ast.Ident) bool {
	d := s.decls[id.Name]
	if d == nil {
		return false
	}
	if f.free[id] {
		return true
	}
	return id.Obj != nil && f.syntax.Scope.Objects[id.Name] == id.Obj
}

// embeddedFile is a file that the compiler puts into a variable.
type embeddedFile struct{ name, text string }

func (p *source) matching(patterns string) (list []embeddedFile, err error) {
	for pattern := range strings.FieldsSeq(patterns) {
		names, err := fs.Glob(p.dir, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(p.dir, name)
			if err != nil {
				return nil, err
			}
			list = append(list, embeddedFile{name, string(bytes.TrimSpace(text)) + "\n"})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no file matches %s", patterns)
	}
	return list, nil
}

// guess lists the names that a package with this path may have, the likeliest first: the package is not read.
func guess(at string) (list []string) {
	base := path.Base(at)
	if n, err := strconv.Atoi(strings.TrimPrefix(base, "v")); err == nil && n > 1 {
		base = path.Base(path.Dir(at))
	}
	if before, after, found := strings.Cut(base, ".v"); found && strings.Trim(after, "0123456789") == "" {
		base = before
	}
	for _, name := range []string{strings.TrimPrefix(base, "go-"), base, strings.TrimSuffix(base, "-go"), base[strings.LastIndexByte(base, '-')+1:], strings.ReplaceAll(base, "-", "")} {
		if token.IsIdentifier(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		list = []string{"imported"}
	}
	return list
}

// lockpick returns a declaration of Lockpick that a node refers to and that is neither copied nor replaced.
func (f *file) lockpick(copied Sources, instead map[Name]Name, node ast.Node) (what string) {
	ast.Inspect(node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			at, is := f.importOf(sel.X)
			if is && (at == modulePath || strings.HasPrefix(at, modulePath+"/")) && !copied.has(at) && instead[Name{at, sel.Sel.Name}] == (Name{}) {
				what = path.Base(at) + "." + sel.Sel.Name
			}
		}
		return what == ""
	})
	return what
}

// isGo reports whether a directory has sources.
func isGo(dir fs.FS) bool {
	names, err := fs.Glob(dir, "*.go")
	return err == nil && len(names) > 0
}
