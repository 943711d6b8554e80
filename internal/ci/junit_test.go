package ci

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// element is an element of a report, and what is in it.
type element struct {
	Name     string
	Attrs    map[string]string
	Children []*element
}

// read reads an element; a decoder checks that the text is XML.
func read(d *xml.Decoder, start xml.StartElement) (*element, error) {
	e := &element{Name: start.Name.Local, Attrs: map[string]string{}}
	for _, a := range start.Attr {
		e.Attrs[a.Name.Local] = a.Value
	}
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			child, err := read(d, token)
			if err != nil {
				return nil, err
			}
			e.Children = append(e.Children, child)
		case xml.EndElement:
			return e, nil
		}
	}
}

func readReport(report string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(report))
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok {
			e, err := read(d, start)
			if err == nil {
				if _, err = d.Token(); errors.Is(err, io.EOF) || err == nil {
					return e, nil
				}
			}
			return e, err
		}
	}
}

// rule is what the schemas of Ant's JUnit task and of Jenkins' xUnit plugin agree to take of an
// element: its attributes, all of them required, and its children in their order.
type rule struct {
	attrs    map[string]*regexp.Regexp
	children string // a regular expression over the names, each with a blank behind it
}

var (
	anyText = regexp.MustCompile(`(?s)^.*$`)
	name    = regexp.MustCompile(`^\S+( \S+)*$`) // xs:token of at least one character
	count   = regexp.MustCompile(`^[0-9]{1,9}$`)
	decimal = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
	moment  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$`) // no zone
)

var reason = rule{attrs: map[string]*regexp.Regexp{"message": anyText, "type": anyText}}

var rules = map[string]rule{
	"testsuites": {children: `^(testsuite )*$`},
	"testsuite": {
		attrs: map[string]*regexp.Regexp{
			"name": name, "package": name, "id": count, "timestamp": moment, "hostname": name,
			"tests": count, "failures": count, "errors": count, "skipped": count, "time": decimal,
		},
		children: `^properties (testcase )*system-out system-err $`,
	},
	"properties": {children: `^(property )*$`},
	"property":   {attrs: map[string]*regexp.Regexp{"name": name, "value": anyText}},
	"testcase": {
		attrs:    map[string]*regexp.Regexp{"name": name, "classname": name, "time": decimal},
		children: `^(failure |error |skipped )?$`,
	},
	"failure": reason, "error": reason, "skipped": {attrs: map[string]*regexp.Regexp{"message": anyText}}, "system-out": {}, "system-err": {},
}

// violations are the rules that a report breaks.
func (e *element) violations() (list []string) {
	r, known := rules[e.Name]
	if !known {
		return []string{"unknown element " + e.Name}
	}
	for a, want := range r.attrs {
		if value, there := e.Attrs[a]; !there || !want.MatchString(value) {
			list = append(list, fmt.Sprintf("%s has %s=%q", e.Name, a, value))
		}
	}
	for a := range e.Attrs {
		if r.attrs[a] == nil {
			list = append(list, e.Name+" has the unknown attribute "+a)
		}
	}
	names := ""
	for _, c := range e.Children {
		names += c.Name + " "
		list = append(list, c.violations()...)
	}
	if r.children == "" {
		r.children = `^$`
	}
	if !regexp.MustCompile(r.children).MatchString(names) {
		list = append(list, fmt.Sprintf("%s has the children %s", e.Name, names))
	}
	for attr, of := range map[string]string{"tests": "", "failures": "failure", "errors": "error", "skipped": "skipped"} {
		if e.Name != "testsuite" {
			break
		}
		n := 0
		for _, c := range e.Children {
			if c.Name == "testcase" && (of == "" || len(c.Children) > 0 && c.Children[0].Name == of) {
				n++
			}
		}
		if e.Attrs[attr] != strconv.Itoa(n) {
			list = append(list, fmt.Sprintf("%s=%s, and there are %d", attr, e.Attrs[attr], n))
		}
	}
	slices.Sort(list)
	return list
}

var sample = Suite{
	Name: "simrun run gc-pause", Package: "setpx", Began: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("there", 3600)), Took: 90 * time.Second,
	Properties: []SuiteProperty{{"clients", "2"}, {"seed", "1"}},
	Cases: []Case{
		{Class: "gc-pause.setpx", Name: "mutual-exclusion", Came: Failed, Kind: "limit", Message: `c1 & "c2" held it`, Text: "line <1>\n\x1b[1mline\x00 2]]>\xff\n"},
		{Class: "gc-pause.setpx", Name: " a\nname ", Came: Broken, Kind: "crashed", Message: "a panic\nin lines"},
		{Class: "gc-pause.setpx", Name: "fencing", Came: Skipped, Kind: "vacuous", Message: "it never happened"},
		{Class: "gc-pause.setpx", Name: "progress", Took: 2500 * time.Microsecond},
	},
	Out: "again: simrun run gc-pause\n",
}

// TestJUnit holds the report to the rules of both schemas.
func TestJUnit(t *testing.T) {
	for _, s := range []Suite{sample, {Name: "empty", Package: "x"}} {
		var out bytes.Buffer
		if err := s.WriteJUnit(&out); err != nil {
			t.Fatal(err)
		}
		report, err := readReport(out.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		if list := report.violations(); len(list) > 0 {
			t.Errorf("%s\n%s", strings.Join(list, "\n"), &out)
		}
		if bytes.ContainsAny(out.Bytes(), "\x00\x1b") || !utf8.Valid(out.Bytes()) {
			t.Errorf("it has characters that XML cannot have:\n%q", &out)
		}
	}
}

// TestRules: the rules refuse what breaks them.
func TestRules(t *testing.T) {
	var out bytes.Buffer
	if err := sample.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`tests="4"`: `tests="5"`, `failures="1"`: ``, `timestamp="2026-01-02T02:04:05"`: `timestamp="2026-01-02T02:04:05Z"`,
		`<system-err></system-err>`: ``, `name="fencing"`: `name=" fencing"`, `time="0.003"`: `time="2.5ms"`,
		`<failure message`: `<failure more="1" message`, `</skipped>`: `</skipped><failure message="" type=""></failure>`,
	} {
		if !strings.Contains(out.String(), from) {
			t.Fatalf("the sample has no %s:\n%s", from, &out)
		}
		report, err := readReport(strings.Replace(out.String(), from, to, 1))
		if err != nil || len(report.violations()) == 0 {
			t.Errorf("with %s in place of %s it breaks no rule: %v", to, from, err)
		}
	}
}

// TestSchemas asks xmllint, with the schemas in the directory LOCKPICK_JUNIT_XSD: JUnit.xsd of
// windyroad/JUnit-Schema, and junit-10.xsd of jenkinsci/xunit-plugin.
func TestSchemas(t *testing.T) {
	dir := os.Getenv("LOCKPICK_JUNIT_XSD")
	if dir == "" {
		t.Skip("LOCKPICK_JUNIT_XSD is not set: TestJUnit has the rules of the schemas")
	}
	schemas, err := filepath.Glob(filepath.Join(dir, "*.xsd"))
	if err != nil || len(schemas) == 0 {
		t.Fatalf("no schema in %s: %v", dir, err)
	}
	path := filepath.Join(t.TempDir(), "report.xml")
	var out bytes.Buffer
	if err := sample.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, s := range schemas {
		if said, err := exec.Command("xmllint", "--noout", "--schema", s, path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s, err, said)
		}
	}
}
