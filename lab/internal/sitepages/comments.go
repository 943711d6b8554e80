package sitepages

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// modulePath is the path of Lockpick's module, and the beginning of the paths of its other modules.
const modulePath = "github.com/lockpick-dev/lockpick"

// source is a parsed package of the project.
type source struct {
	dir   string // below the root, with slashes
	set   *token.FileSet
	files []*ast.File
	names []string // of the files, in their order
	docs  *doc.Package
}

// parse parses the package in a directory below the root, without its tests.
func (s *site) parse(dir string) (*source, error) {
	p := &source{dir: dir, set: token.NewFileSet()}
	names, err := filepath.Glob(filepath.Join(s.Root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.set, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.files, p.names = append(p.files, f), append(p.names, filepath.Base(name))
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("%s has no Go files", dir)
	}
	return p, nil
}

// document reads the comments of the package. Its syntax must not be used afterwards.
func (p *source) document() (err error) {
	p.docs, err = doc.NewFromFiles(p.set, p.files, modulePath+"/"+p.dir)
	return err
}

// markdown returns a comment in Markdown, with links for the names in it. Headings are of the given level.
func (s *site) markdown(p *source, text string, level int) string {
	printer := p.docs.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" } // Hugo makes the headings' ids
	printer.DocLinkURL = func(l *comment.DocLink) string { return s.docURL(p, l) }
	return fenced(string(printer.Markdown(p.docs.Parser().Parse(text))))
}

// fenced puts fences around code that is indented by a tab. Hugo makes fenced code scrollable by keyboard.
func fenced(text string) string {
	const fence = "```"
	var b strings.Builder
	within, blank := false, 0
	for line := range strings.Lines(text) {
		code, indented := strings.CutPrefix(line, "\t")
		switch {
		case within && line == "\n":
			blank++ // of the code, if more of it follows
			continue
		case indented && !within:
			b.WriteString(fence + "text\n")
		case within && !indented:
			b.WriteString(fence + "\n")
		}
		b.WriteString(strings.Repeat("\n", blank))
		within, blank = indented, 0
		b.WriteString(code)
	}
	if within {
		b.WriteString(fence + "\n")
	}
	return b.String()
}

// docURL returns the target of a name in a comment: a page of the site, or pkg.go.dev for packages of others.
func (s *site) docURL(p *source, l *comment.DocLink) string {
	name := l.Name
	if l.Recv != "" {
		name = l.Recv + "." + name
	}
	path := l.ImportPath
	if path == "" {
		path = modulePath + "/" + p.dir
	}
	dir, own := strings.CutPrefix(path, modulePath+"/")
	if !own {
		return l.DefaultURL("https://pkg.go.dev")
	}
	if !slices.Contains(s.public, dir) {
		return repository + "/tree/main/" + dir
	}
	url := "/api/" + dir
	if name != "" {
		url += "#" + name
	}
	return url
}

// repository is the address of the project's sources.
const repository = "https://github.com/lockpick-dev/lockpick"

// scenarioComments returns the comments of the scenarios by their ids, without the names of their variables.
func scenarioComments(p *source) map[string]string {
	comments := map[string]string{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			g, is := d.(*ast.GenDecl)
			if !is || g.Tok != token.VAR || len(g.Specs) != 1 || g.Doc == nil {
				continue
			}
			spec := g.Specs[0].(*ast.ValueSpec)
			if id := idOf(spec); id != "" {
				// A comment begins with the name of its subject.
				comments[id] = strings.Replace(g.Doc.Text(), spec.Names[0].Name+" ", "This scenario ", 1)
			}
		}
	}
	return comments
}

// idOf returns the ID in the composite literal of a variable, empty if there is none.
func idOf(v *ast.ValueSpec) string {
	if len(v.Values) != 1 {
		return ""
	}
	value := v.Values[0]
	if u, is := value.(*ast.UnaryExpr); is {
		value = u.X
	}
	l, is := value.(*ast.CompositeLit)
	if !is {
		return ""
	}
	for _, e := range l.Elts {
		kv, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		if key, is := kv.Key.(*ast.Ident); is && key.Name == "ID" {
			if text, is := kv.Value.(*ast.BasicLit); is {
				id, _ := strconv.Unquote(text.Value)
				return id
			}
			if name, is := kv.Value.(*ast.Ident); is && name.Name == "Storm" {
				return "storm"
			}
		}
	}
	return ""
}
