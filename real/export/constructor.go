package export

import (
	"fmt"
	"go/ast"
	"net/url"
	"path"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/realclient"
)

// construct copies the constructor of the lock, and returns the expression by which a test calls it.
func (b *Bundle) construct(make any) (ref string, err error) {
	f := realclient.FunctionOf(make)
	at, name := packageOf(f.Name)
	if name == "" || strings.HasSuffix(name, "-fm") {
		return "", errNoConstructor
	}
	if !b.Sources.has(at) {
		return "", fmt.Errorf("the source of %s is not known", at)
	}
	s := b.sourceOf(at)
	if s == nil {
		return "", b.err
	}
	if strings.Contains(name, ".") { // a function literal
		if name, err = s.literal(path.Base(f.File), f.Line); err != nil {
			return "", err
		}
	}
	if err := b.Keep(Name{at, name}); err != nil {
		return "", err
	}
	return "«" + at + "." + name + "»", nil
}

// sourceOf returns a package, also before anything was kept.
func (b *Bundle) sourceOf(at string) *source {
	if b.kept == nil {
		b.init()
	}
	return b.source(at)
}

// packageOf splits the runtime's name of a function.
func packageOf(name string) (at, function string) {
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return name, ""
	}
	at, function = name[:slash+1+dot], name[slash+1+dot+1:]
	if plain, err := url.PathUnescape(at); err == nil { // a dot of the last element is escaped
		at = plain
	}
	return at, function
}

// literal declares a function literal, which may use only what is declared outside of functions.
func (s *source) literal(file string, line int) (name string, err error) {
	const called = "newLock"
	var found *ast.FuncLit
	var in *fileOfSource
	for _, f := range s.files {
		if f.name != file {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok && found == nil && s.set.Position(l.Pos()).Line <= line && line <= s.set.Position(l.Body.Lbrace).Line+1 && l.Type.Params.NumFields() == 1 {
				found, in = l, f
			}
			return found == nil
		})
	}
	if found == nil {
		return "", errNoConstructor
	}
	free := true
	ast.Inspect(found, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil {
			d, is := id.Obj.Decl.(ast.Node)
			inside := is && found.Pos() <= d.Pos() && d.Pos() < found.End() // or a declaration of the package
			free = free && (inside || in.syntax.Scope.Objects[id.Name] == id.Obj)
		}
		return free
	})
	if !free {
		return "", errNoConstructor
	}
	name = called
	for s.decls[name] != nil {
		name += "OfTest"
	}
	s.decls[name] = &declaration{file: in.file, node: found, from: found.Pos(), to: found.End(), keyword: "var " + name + " = "}
	return name, nil
}
