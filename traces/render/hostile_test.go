package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"golang.org/x/net/html"
)

// spread puts a text behind all strings of a value, but for those of which the program knows all: names stay
// the same where they were.
func spread(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			spread(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Type().Field(i).IsExported() && name != "Hash" && name != "Terms" && name != "Made" {
				spread(v.Field(i), text)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > 0 {
			v.SetBytes(append(slices.Clone(v.Bytes()), text...))
			return
		}
		for i := range v.Len() {
			spread(v.Index(i), text)
		}
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() && v.Len() > 0 {
			v.SetString(v.String() + text)
		}
	}
}

// markupOf are the kinds of elements of a page, each with the names of its attributes. It fails for what no page has.
func markupOf(t *testing.T, page string) map[string]bool {
	kinds := map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Error(z.Err())
			}
			return kinds
		case html.CommentToken:
			t.Errorf("there is a comment: %.200s", z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			kind := token.Data
			for _, a := range token.Attr {
				kind += " " + a.Key
				if strings.HasPrefix(a.Key, "on") || a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:,") {
					t.Errorf("an element is %.200s", token)
				}
			}
			kinds[kind] = true
		}
	}
}

// lined reports whether a text has nothing that a terminal takes for a command.
func lined(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// written are all formats of a trace.
func written(t testing.TB, tr *traces.Trace, replay string) map[string]string {
	all := map[string]string{}
	for _, f := range Formats() {
		var out bytes.Buffer
		if err := f.Write(&out, tr, replay); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = out.String()
	}
	var figure, text, diff bytes.Buffer
	d := Compare(Compared{Name: replay, Trace: tr}, Compared{Name: replay, Trace: sampletraces.Calm()})
	if err := errors.Join(Figure(&figure, tr, "f"), Explain(&text, tr, Style{}), d.Page(&diff, replay)); err != nil {
		t.Fatal(err)
	}
	all["figure"], all["text"], all["diff"] = figure.String(), text.String(), diff.String()
	return all
}

// FuzzFormats: whatever the strings of a trace are, each format has the structure that it has with harmless ones.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{
		"'", `"`, "`", "$(touch x)", "\n", "</script>", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>", `" onload="x`, "{{.}}", "\n::error::x", " ::error::x", "##[error]", "%0A", "\x1b[2J", "\u2028", "\x00", "\xff",
		"\u202e", "../../x", "end", "; end", "\nend\n", "#35;", "%%{init: {}}%%", "|", "```", "\n```\n", "[x](javascript:x)", "<b>", "@x", "https://x", "\\", "javascript:x", strings.Repeat("long ", 100),
	} {
		f.Add(text)
	}
	mermaid := regexp.MustCompile(`^    (participant a\d+ as [^#;<>&{}%]*|Note over a\d+: .*|a\d+(->>|-x)a\d+: .*|rect rgba\(214, 39, 40, 0\.15\)|end)$`)
	harmless := sampletraces.Attributed()
	spread(reflect.ValueOf(harmless), "x")
	want, plain := written(f, harmless, "simrun replay x.json"), written(f, sampletraces.Attributed(), "simrun replay x.json")
	f.Fuzz(func(t *testing.T, text string) {
		hostile := sampletraces.Attributed()
		spread(reflect.ValueOf(hostile), text)
		got := written(t, hostile, "simrun replay "+wording.Shell(text))
		for _, name := range []string{"html", "svg", "figure", "diff"} {
			known, other := markupOf(t, want[name]), markupOf(t, plain[name])
			for kind := range markupOf(t, got[name]) { // unordered: each is judged alone
				if !known[kind] && !other[kind] {
					t.Errorf("%s: there is <%s>", name, kind)
				}
			}
			for _, tag := range []string{"script", "style"} {
				if strings.Count(got[name], "<"+tag) != strings.Count(want[name], "<"+tag) {
					t.Errorf("%s: there are other elements %s", name, tag)
				}
			}
		}
		if err := xml.Unmarshal([]byte(got["svg"]), new(struct{})); err != nil {
			t.Errorf("svg: %v", err)
		}
		for _, name := range []string{"json", "perfetto"} {
			if !json.Valid([]byte(got[name])) {
				t.Errorf("%s is no JSON", name)
			}
		}
		for _, name := range []string{"text", "markdown", "mermaid", "shiviz", "html", "svg", "figure", "diff"} {
			if !lined(strings.ReplaceAll(got[name], "\t", "")) {
				t.Errorf("%s has control characters", name)
			}
		}
		for l := range strings.Lines(got["text"]) {
			if strings.HasPrefix(strings.TrimSpace(l), "::") || strings.Contains(l, "##[") {
				t.Errorf("a line of the text is %q", l)
			}
		}
		for _, l := range strings.Split(strings.TrimSuffix(got["mermaid"], "\n"), "\n")[1:] {
			if !mermaid.MatchString(regexp.MustCompile(`#\d+;`).ReplaceAllString(l, "")) {
				t.Errorf("a line of the diagram is %q", l)
			}
		}
		sameMarkdown(t, got["markdown"], want["markdown"])
	})
}

// sameMarkdown compares the lines of two pages by how they begin, without the diagram; those of a table have equally many cells.
func sameMarkdown(t *testing.T, got, want string) {
	mark := regexp.MustCompile("^(#+ |\\*\\*|\\| |`{3,}\\w*|Replay|$)?")
	cell := regexp.MustCompile(`(?:^|[^\\])\|`)
	outline := func(page string) (list []string) {
		inside := false
		for l := range strings.SplitSeq(page, "\n") {
			begins := mark.FindString(l)
			if strings.HasPrefix(begins, "```") {
				inside, begins = !inside, "```"+strings.TrimLeft(begins, "`") // a fence is longer than what it is around
			} else if inside {
				continue
			}
			if begins == "| " {
				begins = strings.Repeat("|", len(cell.FindAllString(strings.ReplaceAll(l, `\\`, ""), -1)))
			}
			list = append(list, begins)
		}
		return list
	}
	if a, b := outline(got), outline(want); !slices.Equal(a, b) {
		t.Errorf("the page has other lines:\n%q\n%q\n%s", a, b, got)
	}
}
