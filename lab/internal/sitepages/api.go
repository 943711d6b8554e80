package sitepages

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/printer"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/test/api"
)

// notPublic are directories whose packages are for the project alone, or are examples.
var notPublic = []string{"api", "bench", "docs", "examples", "internal", "site", "testdata", "tools"}

// publicPackages returns the directories of the packages that others may import, below the root.
func publicPackages(root string) (dirs []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (slices.Contains(notPublic, d.Name()) || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || d.Name() != "doc.go" || dir == "." {
			return err
		}
		dirs = append(dirs, filepath.ToSlash(dir))
		return nil
	})
	return dirs, err
}

// apiPage are the params of a package's page.
type apiPage struct {
	Source   string   `json:"source"`
	Path     string   `json:"path"`
	Module   string   `json:"module,omitempty"`
	Frozen   string   `json:"frozen,omitempty"`
	Group    string   `json:"group"`
	Examples []string `json:"examples,omitempty"`
}

// apiGroups are the headings of the packages, each with the prefixes of their directories. The first match counts.
var apiGroups = []struct {
	title    string
	prefixes []string
}{
	{"For tests", []string{"locktest", "program", "confirm"}},
	{"Locks", []string{"lock", "zookeeper/zklocks", "mysql/sqllocks", "postgres/pglocks", "etcd/etcdlocks", "kube/kubelocks", "s3/s3locks"}},
	{"Stores", []string{"stores", "zookeeper", "mysql", "postgres", "etcd", "kube", "s3"}},
	{"Histories and traces", []string{"model", "history", "checker", "traces"}},
	{"Search", []string{"simrun", "hunt", "cell", "scenarios"}},
	{"Simulation", []string{"sim"}},
}

func apiGroup(dir string) string {
	for _, g := range apiGroups {
		for _, p := range g.prefixes {
			if dir == p || strings.HasPrefix(dir, p+"/") {
				return g.title
			}
		}
	}
	return "More"
}

// api writes a page for each public package.
func (s *site) api() error {
	for i, dir := range s.public {
		p, err := s.parse(dir)
		if err != nil {
			return err
		}
		if p.files[0].Name.Name == "main" {
			continue
		}
		if err := p.document(); err != nil {
			return err
		}
		one := apiPage{Source: dir + "/doc.go", Path: modulePath + "/" + dir, Group: apiGroup(dir)}
		for _, f := range api.Frozen {
			if f.Dir == dir {
				one.Frozen = "What 1.0 promises to keep of it is listed in api/" + f.File() + "."
			}
		}
		f := front{Title: dir, Description: p.docs.Synopsis(p.docs.Doc), Weight: i + 1, Params: one}
		s.addresses[dir+"/doc.go"] = address{Page: "/api/" + dir}
		if err := s.page("api/"+dir+".md", f, s.packageText(p)); err != nil {
			return err
		}
	}
	return s.page("api/_index.md", front{
		Title: "API", Description: "The packages that others may import, with their exported names.",
	}, "")
}

// packageText returns the text of a package's page, in Markdown.
func (s *site) packageText(p *source) string {
	var b bytes.Buffer
	b.WriteString(s.markdown(p, p.docs.Doc, 2))
	w := declarations{site: s, source: p, Buffer: &b}
	w.values("Constants", p.docs.Consts)
	w.values("Variables", p.docs.Vars)
	if len(p.docs.Funcs) > 0 {
		b.WriteString("\n## Functions\n")
		w.funcs(3, "", p.docs.Funcs)
	}
	if len(p.docs.Types) > 0 {
		b.WriteString("\n## Types\n")
	}
	for _, t := range p.docs.Types {
		fmt.Fprintf(&b, "\n### type %s {#%s .decl}\n\n", t.Name, t.Name)
		w.places(members(t))
		w.code(t.Decl)
		b.WriteString(s.markdown(p, t.Doc, 4))
		w.group(t.Consts)
		w.group(t.Vars)
		w.funcs(4, "", t.Funcs)
		w.funcs(4, t.Name, t.Methods)
	}
	return b.String()
}

// declarations writes the declarations of a package.
type declarations struct {
	*site
	*source
	*bytes.Buffer
}

func (w *declarations) values(title string, list []*doc.Value) {
	if len(list) > 0 {
		fmt.Fprintf(w, "\n## %s\n", title)
		w.group(list)
	}
}

// places writes link targets for names without a heading.
func (w *declarations) places(names []string) {
	if len(names) == 0 {
		return
	}
	for _, name := range names {
		fmt.Fprintf(w, "<a id=\"%s\"></a>", name)
	}
	w.WriteString("\n\n")
}

// members returns the exported fields of a struct, or the methods of an interface, each prefixed by the name of its type.
func members(t *doc.Type) (names []string) {
	ast.Inspect(t.Decl.Specs[0], func(n ast.Node) bool {
		var list *ast.FieldList
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list = n.Methods
		default:
			return true
		}
		for _, f := range list.List {
			for _, name := range f.Names {
				if name.IsExported() {
					names = append(names, t.Name+"."+name.Name)
				}
			}
		}
		return false // nested fields have names of their own
	})
	return names
}

// group writes constants or variables. Each name is a link target.
func (w *declarations) group(list []*doc.Value) {
	for _, v := range list {
		w.places(slices.DeleteFunc(slices.Clone(v.Names), func(name string) bool { return !ast.IsExported(name) }))
		w.code(v.Decl)
		w.WriteString(w.markdown(w.source, v.Doc, 4))
	}
}

func (w *declarations) funcs(level int, of string, list []*doc.Func) {
	for _, f := range list {
		title, anchor := "func "+f.Name, f.Name
		if of != "" {
			title, anchor = "func ("+f.Recv+") "+f.Name, of+"."+f.Name
		}
		// A star would begin an emphasis.
		title = strings.ReplaceAll(title, "*", `\*`)
		fmt.Fprintf(w, "\n%s %s {#%s .decl}\n\n", strings.Repeat("#", level), title, anchor)
		w.code(f.Decl)
		w.WriteString(w.markdown(w.source, f.Doc, level+1))
	}
}

// code writes a declaration without its body.
func (w *declarations) code(n ast.Node) {
	switch d := n.(type) {
	case *ast.FuncDecl:
		d.Body, d.Doc = nil, nil
	case *ast.GenDecl:
		d.Doc = nil
	}
	w.WriteString("```go\n")
	c := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}
	_ = c.Fprint(w, w.set, n) // a Buffer takes everything
	w.WriteString("\n```\n\n")
}
