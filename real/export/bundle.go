package export

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Bundle copies declarations, and everything that they refer to, from several packages into one file.
type Bundle struct {
	// Sources are the packages whose code is copied; all others are imported.
	Sources Sources
	// Tests is a package whose own test files belong to it.
	Tests string
	// Instead are declarations that replace others.
	Instead map[Name]Name
	// Quoted are the texts for the references «#n», by n.
	Quoted []string

	files   map[string]*source
	kept    map[Name]*declaration
	order   []Name
	called  map[string]bool // selectors in the kept code: methods, fields
	methods []method
	names   map[string]Name // in the file
	wanted  map[string]bool // names of imports
	imports map[string]string
	err     error
	starts  bool // whether it starts a goroutine
}

// method is a method that is kept once something calls it.
type method struct {
	of   *source
	decl *ast.FuncDecl
	file *file
	done bool
}

// optional are the methods of lock's capabilities, which are left out if nothing calls them.
var optional = []string{"TryAcquire", "Extend", "Until", "Token", "Held", "Lost", "ReleaseID", "AcquireN", "Available", "ID"}

// Keep copies a declaration. It may be called for several.
func (b *Bundle) Keep(n Name) error {
	b.init()
	b.keep(n)
	b.callMethods()
	return b.err
}

func (b *Bundle) init() {
	if b.kept == nil {
		b.files, b.kept, b.names, b.imports = map[string]*source{}, map[Name]*declaration{}, map[string]Name{}, map[string]string{}
		b.called, b.wanted = map[string]bool{}, map[string]bool{}
	}
}

// Call makes the methods of a name copied with their types.
func (b *Bundle) Call(method string) {
	b.init()
	b.called[method] = true
}

// Starts reports whether the code that was copied starts a goroutine by itself.
func (b *Bundle) Starts() bool { return b.starts }

func (b *Bundle) fail(format string, args ...any) {
	b.err = cmp.Or(b.err, fmt.Errorf(format, args...))
}

// keep copies a declaration and everything that it refers to.
func (b *Bundle) keep(n Name) {
	if other, ok := b.Instead[n]; ok {
		n = other
	}
	if b.kept[n] != nil || b.err != nil {
		return
	}
	s := b.source(n.Path)
	if s == nil {
		return
	}
	d := s.decls[n.Name]
	if d == nil {
		b.fail("%s has no declaration of %s", n.Path, n.Name)
		return
	}
	if d.whole != nil { // a group with iota has one text
		for _, name := range d.whole {
			b.kept[Name{n.Path, name}] = d
		}
	}
	b.kept[n] = d
	b.order = append(b.order, n)
	b.references(s, d.file, d.node)
	for _, m := range s.methods[n.Name] {
		b.methods = append(b.methods, method{of: s, decl: m.node.(*ast.FuncDecl), file: m.file})
	}
}

// callMethods copies methods until no more are called.
func (b *Bundle) callMethods() {
	for again := true; again && b.err == nil; {
		again = false
		for i := range b.methods {
			m := &b.methods[i]
			left := slices.Contains(optional, m.decl.Name.Name) || m.of.path == partsPath
			if m.done || left && !b.called[m.decl.Name.Name] {
				continue
			}
			m.done, again = true, true
			b.references(m.of, m.file, m.decl)
		}
	}
}

func (b *Bundle) source(path string) *source {
	if s, ok := b.files[path]; ok {
		return s
	}
	s, err := b.Sources.read(path, path == b.Tests)
	if err != nil {
		b.fail("the source of %s cannot be read: %w", path, err)
	}
	b.files[path] = s
	return s
}

// references copies the declarations that a node refers to.
func (b *Bundle) references(s *source, f *file, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			b.starts = b.starts || s.path != partsPath
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					b.called[name.Name] = b.called[name.Name] || !slices.Contains(optional, name.Name)
				}
			}
		case *ast.SelectorExpr:
			if at, ok := f.importOf(n.X); ok {
				if b.Sources.has(at) || b.Instead[Name{at, n.Sel.Name}] != (Name{}) {
					b.keep(Name{at, n.Sel.Name})
				}
				return false
			}
			b.called[n.Sel.Name] = true
		case *ast.Ident:
			if f.ofPackage(s, n) {
				b.keep(Name{s.path, n.Name})
			}
		}
		return b.err == nil
	})
}

// File returns the text of the file, with an own declaration of the caller, whose references to other packages have the
// form «path.Name».
func (b *Bundle) File(pkg, head, own string) ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.nameAll()
	var body bytes.Buffer
	body.WriteString(b.resolve(own))
	slices.SortStableFunc(b.order, func(x, y Name) int { return cmp.Compare(rank(x.Path), rank(y.Path)) })
	written := map[*declaration]bool{}
	for _, n := range b.order {
		if d := b.kept[n]; !written[d] {
			written[d] = true
			b.write(&body, n, d)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%spackage %s\n\nimport (\n", head, pkg)
	b.writeImports(&out)
	out.WriteString(")\n\n")
	out.Write(body.Bytes())
	text, err := format.Source(out.Bytes())
	if err != nil {
		return out.Bytes(), fmt.Errorf("the file cannot be formatted: %w", err)
	}
	return text, nil
}

// rank sorts the lock before the parts of the test.
func rank(path string) int {
	switch {
	case path == partsPath:
		return 2
	case strings.HasPrefix(path, modulePath+"/lock"):
		return 1
	}
	return 0
}

// nameAll gives each declaration a name that no other has. Those of the test's own package keep theirs.
func (b *Bundle) nameAll() {
	order := slices.Clone(b.order)
	slices.SortStableFunc(order, func(x, y Name) int { return cmp.Compare(rank(x.Path), rank(y.Path)) })
	for _, n := range order {
		s := b.files[n.Path]
		name := n.Name
		if n.Path == partsPath {
			name = lower(name)
		}
		for _, try := range []string{name, s.name + upper(n.Name), s.name + upper(n.Name) + "2"} {
			if _, taken := b.names[try]; !taken && !b.wanted[try] && !token.IsKeyword(try) && types.Universe.Lookup(try) == nil {
				name = try
				break
			}
		}
		b.names[name] = n
		d := b.kept[n]
		if d.named == nil {
			d.named = map[string]string{}
		}
		d.named[n.Name] = name
	}
}

func lower(s string) string { return string(unicode.ToLower(rune(s[0]))) + s[1:] }
func upper(s string) string { return string(unicode.ToUpper(rune(s[0]))) + s[1:] }

// nameOf returns the name of a copied declaration in the file.
func (b *Bundle) nameOf(n Name) string {
	if other, ok := b.Instead[n]; ok {
		n = other
	}
	d := b.kept[n]
	if d == nil {
		b.fail("%s.%s was not copied", n.Path, n.Name)
		return n.Name
	}
	if name := d.named[n.Name]; name != "" {
		return name
	}
	return n.Name
}

// resolve replaces «path.Name» and «#n» in a text, but not in their replacements.
func (b *Bundle) resolve(text string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "«")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		ref, after, _ := strings.Cut(rest, "»")
		out.WriteString(b.resolved(ref))
		text = after
	}
}

func (b *Bundle) resolved(ref string) string {
	if number, ok := strings.CutPrefix(ref, "#"); ok {
		n, _ := strconv.Atoi(number) // refer wrote it
		return b.Quoted[n]
	}
	at := strings.LastIndexByte(ref, '.')
	n := Name{ref[:at], ref[at+1:]}
	if b.Sources.has(n.Path) {
		return b.nameOf(n)
	}
	return b.imported(n.Path, guess(n.Path)[0]) + "." + n.Name
}

// write writes a declaration and its methods.
func (b *Bundle) write(out *bytes.Buffer, n Name, d *declaration) {
	s := b.files[n.Path]
	if d.embedded != "" {
		fmt.Fprintf(out, "\n%s\n", b.embedded(s, d, n))
		return
	}
	fmt.Fprintf(out, "\n%s\n", b.text(s, d))
	for _, m := range s.methods[n.Name] {
		i := slices.IndexFunc(b.methods, func(k method) bool { return k.decl == m.node && k.done })
		if i >= 0 {
			fmt.Fprintf(out, "\n%s\n", b.text(s, m))
		}
	}
}

// edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

// text returns the text of a declaration, with the names of the file.
func (b *Bundle) text(s *source, d *declaration) string {
	f := d.file
	offset := func(p token.Pos) int { return s.set.Position(p).Offset }
	var edits []edit
	replace := func(n ast.Node, text string) {
		edits = append(edits, edit{offset(n.Pos()), offset(n.End()), text})
	}
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if at, ok := f.importOf(n.X); ok {
				if b.Sources.has(at) || b.Instead[Name{at, n.Sel.Name}] != (Name{}) {
					replace(n, b.nameOf(Name{at, n.Sel.Name}))
				} else if name := b.imported(at, n.X.(*ast.Ident).Name); name != n.X.(*ast.Ident).Name {
					replace(n.X, name)
				}
				return false
			}
		case *ast.Ident:
			if f.ofPackage(s, n) {
				if name := b.nameOf(Name{s.path, n.Name}); name != n.Name {
					replace(n, name)
				}
			}
		}
		return true
	})
	for i, id := range d.names { // declared here
		if name := b.nameOf(Name{s.path, id.Name}); name != id.Name && b.kept[Name{s.path, id.Name}] != nil {
			replace(d.names[i], name)
		}
	}
	slices.SortFunc(edits, func(x, y edit) int { return x.from - y.from })
	edits = slices.CompactFunc(edits, func(x, y edit) bool { return x.from == y.from })
	var out strings.Builder
	out.WriteString(d.keyword)
	at := offset(d.from)
	for _, e := range edits {
		out.Write(f.text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(f.text[at:offset(d.to)])
	text := out.String()
	if d.doc != nil {
		doc := string(f.text[offset(d.doc.Pos()):offset(d.doc.End())])
		if len(d.names) == 1 {
			if name := b.nameOf(Name{s.path, d.names[0].Name}); name != d.names[0].Name {
				doc = strings.Replace(doc, "// "+d.names[0].Name+" ", "// "+name+" ", 1)
			}
		}
		text = doc + "\n" + text
	}
	return text
}

// embedded returns a variable that the compiler fills with files.
func (b *Bundle) embedded(s *source, d *declaration, n Name) string {
	list, err := s.matching(d.embedded)
	if err != nil {
		b.fail("%s: %w", n.Path, err)
	}
	if !d.isFiles {
		if len(list) != 1 {
			b.fail("%s.%s embeds %d files", n.Path, n.Name, len(list))
			return ""
		}
		return fmt.Sprintf("var %s = %s", b.nameOf(n), quoted(list[0].text))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "var %s = %s.MapFS{\n", b.nameOf(n), b.imported("testing/fstest", "fstest"))
	for _, e := range list {
		if b.mentions(s, e.name) {
			fmt.Fprintf(&out, "%q: {Data: []byte(%s)},\n", e.name, quoted(e.text))
		}
	}
	return out.String() + "}"
}

// mentions reports whether the kept code of a package has a file's name, with or without its ending, as a string.
func (b *Bundle) mentions(s *source, file string) bool {
	stem, _, _ := strings.Cut(file, ".")
	found := false
	for n, d := range b.kept { // unordered: any of them
		if n.Path == s.path {
			ast.Inspect(d.node, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					text, _ := strconv.Unquote(l.Value)
					found = found || text == file || text == stem
				}
				return !found
			})
		}
	}
	return found
}

func quoted(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// imported returns the name by which a package is imported, the given one if no other package has it.
func (b *Bundle) imported(path, name string) string {
	if have, ok := b.imports[path]; ok {
		return have
	}
	for b.taken(name) {
		name += "2"
	}
	b.imports[path] = name
	return name
}

func (b *Bundle) taken(name string) bool {
	_, declared := b.names[name]
	for _, other := range b.imports { // unordered: any of them
		declared = declared || other == name
	}
	return declared
}

// writeImports writes the imports, those of the standard library first.
func (b *Bundle) writeImports(out *bytes.Buffer) {
	var paths []string
	for path := range b.imports { // unordered: sorted below
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, standard := range []bool{true, false} {
		for _, path := range paths {
			if isStandard(path) != standard {
				continue
			}
			if name := b.imports[path]; slices.Contains(guess(path), name) && name == guess(path)[0] {
				fmt.Fprintf(out, "\t%q\n", path)
			} else {
				fmt.Fprintf(out, "\t%s %q\n", name, path)
			}
		}
		out.WriteByte('\n')
	}
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// Modules returns the imports of the file outside of the standard library.
func (b *Bundle) Modules() (list []string) {
	for path := range b.imports { // unordered: sorted below
		if !isStandard(path) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

var errNoConstructor = errors.New("the constructor is no function of a package, or has variables from around it")
