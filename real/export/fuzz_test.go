package export_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/traces"
)

// forms are traces with a form, one for each part of what is written.
var forms = []string{
	"../../traces/corpus/lost-reply_setpx-twostep_owner-only-release.json",
	"../../traces/corpus/late-reply_setpx_no-lost-update.json",
	"../../traces/corpus/gc-pause_setpx_no-lost-update.json",
	"testdata/lost-sentinel.json",
}

// hostile are strings that mean something to what the exporter writes.
var hostile = []string{
	"exec.Command(`touch`,`PWNED`).CombinedOutput() //", "\"+os.Args[0]+\"", "`+os.Args[0]+`", "*/ func init() { panic(0) } /*",
	"\nfunc init() { panic(0) }\n", "\r}\u2028//", "«os.Exit»(1)", "«#0»", "»", "«", "«x y\"; z.Name»", "%s%v%!d", "%", "ERR", "RECORD", "PROPERTY", "PARTS",
	"CONDITION", "VERB", "time.", "*testing.T", "type", "ctx", "server", "c3", "client1", "\x00", "\xff", "\ufeff", "\\", "\"", "//go:build ignore", "+build ignore",
	"é", "a b", "-exec", "../x", "c1Network",
}

// FuzzExport puts strings into every place of a trace that has one: each one, or all that are equal. What is written of it has the same
// syntax as with a harmless string there, also of a trace that would not be read.
func FuzzExport(f *testing.F) {
	for n, s := range hostile {
		f.Add(uint8(n), uint16(37*n), n%2 == 0, n%3 == 0, s)
	}
	wanted := map[spot]string{}
	f.Fuzz(func(t *testing.T, form uint8, place uint16, everywhere, first bool, text string) {
		file := forms[int(form)%len(forms)]
		const harmless = "zz" // which no trace has
		if text = strings.ToValidUTF8(text, "?") + harmless; first {
			text = harmless + text[:len(text)-len(harmless)]
		}
		at := spot{file, int(place), everywhere}
		if wanted[at] == "" {
			wanted[at] = at.written(t, harmless)
		}
		want, got := wanted[at], at.written(t, text)
		if got != want {
			t.Errorf("%s: place %d has %q: the test has another syntax than with %q there\n%s", file, place, text, harmless, difference(got, want))
		}
	})
}

// TestEveryField puts all hostile strings at once into each field that a trace has strings in.
func TestEveryField(t *testing.T) {
	for _, file := range forms[:2] {
		var fields []string
		place := -1
		changed("", decoded(t, file), func(field, s string) string {
			if place++; slices.Contains(fields, field) {
				return s
			}
			fields = append(fields, field)
			at := spot{file, place, false}
			if got, want := at.written(t, strings.ToValidUTF8(strings.Join(hostile, " "), "?")), at.written(t, "zz"); got != want {
				t.Errorf("%s: %s\n%s", file, field, difference(got, want))
			}
			return s
		})
	}
}

// TestHostileNames: clients may be called anything, though such a trace is not read.
func TestHostileNames(t *testing.T) {
	for _, file := range forms[:1] {
		want := shape(t, textWith(t, file, func(_, s string) string { return s }))
		for _, client := range []string{"c1", "c2"} {
			want := strings.ReplaceAll(want, client, "client"+client[1:])
			for _, name := range hostile {
				if name == "c3" { // usual
					continue
				}
				got := shape(t, textWith(t, file, func(key, s string) string {
					if s == client && !strings.HasSuffix(key, "payload") {
						return name
					}
					return s
				}))
				if got != want {
					t.Errorf("%s: a client is called %q\n%s", file, name, difference(got, want))
				}
			}
		}
	}
}

// spot is a place of a trace that has a string, and whether all strings that are equal are meant.
type spot struct {
	file       string
	place      int
	everywhere bool
}

// written is the syntax of what is written of the trace with a string there, or that nothing is.
func (p spot) written(t *testing.T, text string) string {
	var values []string
	changed("", decoded(t, p.file), func(_, s string) string {
		values = append(values, s)
		return s
	})
	place, at := p.place%len(values), -1
	return shape(t, textWith(t, p.file, func(key, s string) string {
		at++
		switch {
		case strings.HasSuffix(key, "payload") && at == place: // the command of a request
			return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "*2\r\n$%d\r\n%s\r\n$4\r\nlock\r\n", len(text), text))
		case at == place, p.everywhere && !strings.HasSuffix(key, "payload") && s == values[place]:
			return text
		}
		return s
	}))
}

// textWith is what is written of a trace whose strings are changed, nil if nothing is. The trace is not checked.
func textWith(t *testing.T, file string, change func(key, s string) string) []byte {
	t.Helper()
	raw, err := json.Marshal(changed("", decoded(t, file), change))
	if err != nil {
		t.Fatal(err)
	}
	j := of(t, filepath.FromSlash(file), "setpx")
	j.Trace = new(traces.Trace)
	if json.Unmarshal(raw, j.Trace) != nil {
		return nil
	}
	text, _, _, err := j.Text()
	if err != nil { // no form, or a story that no run has
		return nil
	}
	return text
}

// decoded is the JSON of a file.
func decoded(t *testing.T, file string) (v any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// changed is a value of JSON whose strings are changed, in the order of the names of fields. A field is named by those that it is in.
func changed(key string, v any, change func(field, s string) string) any {
	switch v := v.(type) {
	case string:
		return change(key, v)
	case []any:
		for i := range v {
			v[i] = changed(key, v[i], change)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = changed(strings.TrimPrefix(key+"."+name, "."), v[name], change)
		}
	}
	return v
}

// shape is the syntax of a file without the values of strings and the name of the test.
func shape(t *testing.T, text []byte) string {
	t.Helper()
	if text == nil {
		return "nothing"
	}
	f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", text, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out strings.Builder
	depth := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			depth--
			return true
		}
		switch n.(type) {
		case *ast.CommentGroup, *ast.Comment:
			return false
		}
		fmt.Fprintf(&out, "%*s%s", depth, "", reflect.TypeOf(n).Elem().Name())
		switch n := n.(type) {
		case *ast.Ident:
			if name := n.Name; strings.HasPrefix(name, "Test") && name != "TestMain" {
				out.WriteString(" Test")
			} else {
				out.WriteString(" " + name)
			}
		case *ast.ImportSpec:
			out.WriteString(" " + n.Path.Value)
		case *ast.BasicLit:
			if out.WriteString(" " + n.Kind.String()); n.Kind != token.STRING {
				out.WriteString(" " + n.Value)
			}
		case *ast.BinaryExpr:
			out.WriteString(" " + n.Op.String())
		case *ast.UnaryExpr:
			out.WriteString(" " + n.Op.String())
		case *ast.AssignStmt:
			out.WriteString(" " + n.Tok.String())
		}
		out.WriteByte('\n')
		depth++
		return true
	})
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "// +build") || strings.HasPrefix(c.Text, "//line") || strings.HasPrefix(c.Text, "/*") {
				out.WriteString(c.Text + "\n")
			}
		}
	}
	return out.String()
}

// difference is where two texts begin to differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %s, want %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
