package sitepages

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// origin is the place of a lock's code.
type origin struct {
	Package string `json:"package"` // its directory below the root
	Type    string `json:"type"`
	File    string `json:"file"` // below the root
	Page    string `json:"page"` // of the package
	doc     string // the type's comment, in Markdown
}

// storeModules are the directories of the modules that have a store and its locks.
var storeModules = []string{"zookeeper", "mysql", "postgres", "etcd", "kube", "s3"}

// hasLocks reports whether the package in a directory below the root has locks.
func hasLocks(dir string) bool {
	first, rest, _ := strings.Cut(dir, "/")
	second, _, _ := strings.Cut(rest, "/")
	return first == "lock" || slices.Contains(storeModules, first) && strings.HasSuffix(second, "locks")
}

// builtins returns the directories in which the locks are listed.
func (s *site) builtins() ([]string, error) {
	dirs, err := filepath.Glob(filepath.Join(s.Root, "stores", "*", "builtin"))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, module := range storeModules {
		dirs = append(dirs, filepath.Join(s.Root, module, "builtin"))
	}
	for _, d := range dirs {
		if dir, err := filepath.Rel(s.Root, d); err == nil {
			list = append(list, filepath.ToSlash(dir))
		}
	}
	return list, nil
}

// origins finds the constructor that the entry of each lock names, and the type that it makes.
func (s *site) origins() (map[string]*origin, error) {
	dirs, err := s.builtins()
	if err != nil {
		return nil, err
	}
	found := map[string]*origin{}
	packages := map[string]*source{}
	for _, dir := range dirs {
		p, err := s.parse(dir)
		if err != nil {
			return nil, err
		}
		listed := newListed(p)
		for _, r := range s.rows {
			made := listed.constructor(r.lock.ID)
			if made == nil {
				continue
			}
			o, err := s.origin(packages, made)
			if err != nil {
				return nil, fmt.Errorf("lock %s: %w", r.lock.ID, err)
			}
			found[r.lock.ID] = o
		}
	}
	for _, r := range s.rows {
		if found[r.lock.ID] == nil {
			return nil, fmt.Errorf("lock %s: its entry, in a package builtin, names no constructor of a package of locks", r.lock.ID)
		}
	}
	return found, nil
}

// constructor is a function of a package.
type constructor struct{ dir, name string }

// listed is a package that lists locks.
type listed struct {
	*source
	imports map[*ast.File]map[string]string // directories of packages of locks, by their names
	funcs   map[string]ast.Node             // functions and variables of the package
	in      map[ast.Node]*ast.File
}

func newListed(p *source) *listed {
	l := &listed{source: p, imports: map[*ast.File]map[string]string{}, funcs: map[string]ast.Node{}, in: map[ast.Node]*ast.File{}}
	for _, f := range p.files {
		l.imports[f] = map[string]string{}
		for _, i := range f.Imports {
			at, _ := strconv.Unquote(i.Path.Value)
			dir, own := strings.CutPrefix(at, modulePath+"/")
			if !own || !hasLocks(dir) {
				continue
			}
			name := path.Base(dir)
			if i.Name != nil {
				name = i.Name.Name
			}
			l.imports[f][name] = dir
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				l.funcs[d.Name.Name], l.in[d] = d, f
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, one := range d.Specs {
					v := one.(*ast.ValueSpec)
					l.funcs[v.Names[0].Name], l.in[v] = v, f
				}
			}
		}
	}
	return l
}

// constructor returns the constructor that the entry with the id names, itself or by functions of the package; nil if
// there is none.
func (l *listed) constructor(id string) *constructor {
	quoted := strconv.Quote(id)
	for _, f := range l.files {
		var entry ast.Node // the innermost literal or call that has the id
		ast.Inspect(f, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.CompositeLit:
				for _, x := range e.Elts {
					if kv, is := x.(*ast.KeyValueExpr); is && isKey(kv, "ID") && isText(kv.Value, quoted) {
						entry = e
					}
				}
			case *ast.CallExpr:
				if len(e.Args) > 0 && isText(e.Args[0], quoted) {
					entry = e
				}
			}
			return true
		})
		if entry != nil {
			if c := l.named(f, entry, map[string]bool{}); c != nil {
				return c
			}
		}
	}
	return nil
}

func isKey(kv *ast.KeyValueExpr, name string) bool {
	id, is := kv.Key.(*ast.Ident)
	return is && id.Name == name
}

func isText(e ast.Expr, quoted string) bool {
	b, is := e.(*ast.BasicLit)
	return is && b.Value == quoted
}

// named returns the constructor that a part of a file names: the one that it returns, or else the first. If there is none,
// functions of the package are followed.
func (l *listed) named(f *ast.File, n ast.Node, seen map[string]bool) (found *constructor) {
	var more []string
	returned := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.ReturnStmt:
			returned = false // the last one counts
			for _, x := range e.Results {
				if c := l.first(f, x); c != nil && !returned {
					found, returned = c, true
				}
			}
		case *ast.SelectorExpr:
			if c := l.selected(f, e); c != nil && found == nil {
				found = c
			}
		case *ast.Ident:
			more = append(more, e.Name)
		}
		return true
	})
	for _, name := range more {
		if found != nil {
			break
		}
		if f := l.funcs[name]; f != nil && !seen[name] {
			seen[name] = true
			found = l.named(l.in[f], f, seen)
		}
	}
	return found
}

// first returns the first constructor in an expression, nil if there is none.
func (l *listed) first(f *ast.File, x ast.Expr) (found *constructor) {
	ast.Inspect(x, func(n ast.Node) bool {
		if e, is := n.(*ast.SelectorExpr); is && found == nil {
			found = l.selected(f, e)
		}
		return found == nil
	})
	return found
}

// selected returns the constructor that a selector names, nil if it names none.
func (l *listed) selected(f *ast.File, e *ast.SelectorExpr) *constructor {
	x, is := e.X.(*ast.Ident)
	if !is || !strings.HasPrefix(e.Sel.Name, "New") {
		return nil
	}
	if dir := l.imports[f][x.Name]; dir != "" {
		return &constructor{dir, e.Sel.Name}
	}
	return nil
}

// origin returns the type that a constructor makes. Parsed packages are added to packages.
func (s *site) origin(packages map[string]*source, c *constructor) (*origin, error) {
	p := packages[c.dir]
	if p == nil {
		var err error
		if p, err = s.parse(c.dir); err != nil {
			return nil, err
		}
		if err := p.document(); err != nil {
			return nil, err
		}
		packages[c.dir] = p
	}
	page := ""
	if _, err := os.Stat(filepath.Join(s.Root, c.dir)); err == nil {
		page = "/api/" + c.dir
	}
	at := func(t *doc.Type, f *doc.Func) *origin {
		name, text, pos := f.Name, f.Doc, f.Decl.Pos()
		if t != nil {
			name, text, pos = t.Name, t.Doc, t.Decl.Pos()
		}
		file := c.dir + "/" + filepath.Base(p.set.Position(pos).Filename)
		return &origin{Package: c.dir, Type: name, File: file, Page: page, doc: s.markdown(p, text, 2)}
	}
	for _, t := range p.docs.Types {
		for _, f := range t.Funcs {
			if f.Name == c.name {
				return at(t, f), nil
			}
		}
	}
	for _, f := range p.docs.Funcs {
		if f.Name == c.name {
			return at(nil, f), nil
		}
	}
	return nil, fmt.Errorf("%s has no function %s", c.dir, c.name)
}
