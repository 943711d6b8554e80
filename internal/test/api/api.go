package api

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Package is a package with promises.
type Package struct {
	// Dir is its directory below the module's root, with slashes.
	Dir string
	// Names are the frozen declarations, with their methods and the types of this package that they mention; nil for all
	// exported ones. A name ending in * stands for all names with that beginning, exported or not.
	Names []string
	// Open are types that Names mention, and methods of theirs ("Type.Method"), that may change nevertheless.
	Open []string
}

// File returns the path of the package's list, below the directory api.
func (p Package) File() string { return strings.ReplaceAll(p.Dir, "/", "_") + ".txt" }

// Frozen are the packages with promises. If one of them has an alias of another package's type, its methods and fields are
// promised too. Traces and histories are promised as files: the tags of their types are the format.
var Frozen = []Package{
	{Dir: "lock"},
	{Dir: "lock/pull"},
	{Dir: "locktest"},
	{Dir: "cell", Names: []string{"Client", "Process", "Program"}, Open: []string{
		"Client.AsClient", "Client.Bound", "Client.Pause", "Client.Process", "Client.Reach", "Client.Setting", "Client.Spec", // for packages of stores
		"Program.Lock", "Program.Locks", "Lock", "Reading", "Needs", "Stores",
	}},
	{Dir: "program", Names: []string{"Rule", "Always", "AtMostOnce", "ExactlyOnce", "Linearizable", "Progress", "Reachable", "Sometimes", "Unreachable"},
		Open: []string{"Rule.Knows", "Rule.Models", "Rule.Property", "Rule.Reached", "Rule.Reaches"}},
	{Dir: "stores/redis", Names: []string{"Connect", "Options", "AllOptions", "Store"}},
	{Dir: "zookeeper", Names: []string{"Connect", "Store"}},
	{Dir: "mysql", Names: []string{"Connect", "Store"}},
	{Dir: "postgres", Names: []string{"Connect", "Pool", "Store"}},
	{Dir: "etcd", Names: []string{"Connect", "Store"}},
	{Dir: "model", Names: []string{"History"}, Open: []string{"Kind.Noun", "Kind.Parameter", "Kind.Rule"}}, // texts
	{Dir: "traces", Names: []string{"Trace", "Schema"}},
	{Dir: "history", Names: []string{"Recorder"}},
	{Dir: "simrun", Names: []string{"exit*"}},
}

// Drafts are the packages for stores outside this module. Their lists show changes: any 0.x version may change them, with
// a line in CHANGELOG.md.
var Drafts = []Package{
	{Dir: "scenarios/stage"},
	{Dir: "scenarios/expect"},
	{Dir: "sim/server"},
	{Dir: "sim/quorum"},
	{Dir: "sim/failover"},
	{Dir: "storetest"},
	{Dir: "storetest/fidelity"},
}

// OpenAliases are the types of which frozen packages have aliases, and that may change in any version: authors of
// scenarios, stores or kinds of objects use much of Lockpick.
var OpenAliases = []string{"locktest.Scenario", "locktest.Store", "locktest.Subject"}

// List returns the frozen part of the package, below the module's root: one declaration after another,
// sorted.
func (p Package) List(root string) (string, error) {
	decls, err := p.declarations(root)
	if err != nil {
		return "", err
	}
	if p.Names != nil {
		if decls, err = p.chosen(decls); err != nil {
			return "", err
		}
	}
	var lines []string
	for _, d := range decls {
		lines = append(lines, d.text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n", nil
}

// Promises returns the names that are frozen: "Name", and "Type.Method" of methods.
func (p Package) Promises(root string) (map[string]bool, error) {
	decls, err := p.declarations(root)
	if err == nil && p.Names != nil {
		decls, err = p.chosen(decls)
	}
	names := map[string]bool{}
	for _, d := range decls {
		names[d.full()] = true
	}
	return names, err
}

// Aliases returns the frozen names of types of other packages of the module, by name: the package's directory and the type's
// name.
func (p Package) Aliases(root, module string) (map[string][2]string, error) {
	decls, err := p.declarations(root)
	aliases := map[string][2]string{}
	for _, d := range decls {
		if dir, ok := strings.CutPrefix(d.aliasOf[0], module+"/"); ok && (p.Names == nil || slices.Contains(p.Names, d.name)) {
			aliases[d.name] = [2]string{dir, d.aliasOf[1]}
		}
	}
	return aliases, err
}

// A declaration is one name, or one method, of a package.
type declaration struct {
	// name is the declared name; of a method it is the receiver's type.
	name   string
	method string
	text   string
	// aliasOf is the import path and the name of the type of another package that this is an alias of.
	aliasOf [2]string
	// mentions are the identifiers in its text.
	mentions []string
}

func (d declaration) full() string {
	if d.method != "" {
		return d.name + "." + d.method
	}
	return d.name
}

// chosen returns the declarations that p.Names and their mentions select.
func (p Package) chosen(all []declaration) (list []declaration, err error) {
	wanted := map[string]bool{}
	for _, pattern := range p.Names {
		found := false
		for _, d := range all {
			begin, wild := strings.CutSuffix(pattern, "*")
			if d.name == pattern || wild && strings.HasPrefix(d.name, begin) {
				wanted[d.name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s declares no %s: mend the list of frozen packages if it has moved", p.Dir, pattern)
		}
	}
	for before := -1; before != len(wanted); {
		before = len(wanted)
		for _, d := range all {
			if wanted[d.name] && !slices.Contains(p.Open, d.full()) {
				for _, name := range d.mentions {
					if ast.IsExported(name) && !slices.Contains(p.Open, name) && slices.ContainsFunc(all, func(o declaration) bool { return o.name == name }) {
						wanted[name] = true
					}
				}
			}
		}
	}
	for _, d := range all {
		if wanted[d.name] && !slices.Contains(p.Open, d.full()) {
			list = append(list, d)
		}
	}
	return list, nil
}

// declarations returns the exported declarations of the package and, of a package with p.Names, the
// unexported constants and variables.
func (p Package) declarations(root string) (list []declaration, err error) {
	dir := filepath.Join(root, filepath.FromSlash(p.Dir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		constants := unexportedConstants(file, p.Names)
		ast.FileExports(file)
		for _, d := range append(file.Decls, constants...) {
			list = append(list, split(fset, file, d)...)
		}
	}
	return list, nil
}

// unexportedConstants returns the groups of constants that have a name with one of the prefixes.
func unexportedConstants(file *ast.File, patterns []string) (list []ast.Decl) {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		copied := *group
		copied.Specs = nil
		for _, s := range group.Specs {
			spec := *s.(*ast.ValueSpec)
			spec.Names = slices.Clone(spec.Names) // FileExports changes the file's own
			name := spec.Names[0].Name
			if !ast.IsExported(name) && slices.ContainsFunc(patterns, func(p string) bool {
				begin, wild := strings.CutSuffix(p, "*")
				return wild && strings.HasPrefix(name, begin)
			}) {
				copied.Specs = append(copied.Specs, &spec)
			}
		}
		if len(copied.Specs) > 0 {
			list = append(list, &copied)
		}
	}
	return list
}

// split divides a declaration by names. Constants that use iota stay together, since each depends on those before it.
func split(fset *token.FileSet, file *ast.File, d ast.Decl) (list []declaration) {
	group, ok := d.(*ast.GenDecl)
	if !ok {
		f := d.(*ast.FuncDecl)
		f.Body = nil
		one := declared(fset, funcName(f), f)
		if f.Recv != nil {
			one.method = f.Name.Name
		}
		return []declaration{one}
	}
	if group.Tok == token.IMPORT {
		return nil
	}
	if group.Tok == token.CONST && mentions(group)["iota"] {
		return []declaration{declared(fset, group.Specs[0].(*ast.ValueSpec).Names[0].Name, group)}
	}
	for _, spec := range group.Specs {
		name, of := "", [2]string{}
		switch s := spec.(type) {
		case *ast.TypeSpec:
			name = s.Name.Name
			if s.Assign.IsValid() {
				of = imported(file, s.Type)
			}
		case *ast.ValueSpec:
			name = s.Names[0].Name
			if group.Tok == token.VAR {
				s.Values = nil // how it is made is not promised
				if s.Type == nil {
					s.Type = ast.NewIdent("_")
				}
			}
		}
		one := declared(fset, name, &ast.GenDecl{Tok: group.Tok, Specs: []ast.Spec{spec}})
		one.aliasOf = of
		list = append(list, one)
	}
	return list
}

// imported returns the import path and the name of a type of another package.
func imported(file *ast.File, t ast.Expr) (of [2]string) {
	if sel, ok := t.(*ast.SelectorExpr); ok {
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if name := sel.X.(*ast.Ident).Name; spec.Name == nil && filepath.Base(path) == name || spec.Name != nil && spec.Name.Name == name {
				of = [2]string{path, sel.Sel.Name}
			}
		}
	}
	return of
}

// funcName returns the function's name, or the type of its receiver.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name
		default:
			return f.Name.Name
		}
	}
}

func declared(fset *token.FileSet, name string, node ast.Node) declaration {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&b, fset, node); err != nil {
		panic(err) // it was parsed
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return declaration{name: name, text: strings.Join(lines, "\n"), mentions: slices.Sorted(maps.Keys(mentions(node)))}
}

func mentions(node ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}
