package wording

import (
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile are texts that each place has to get over.
var hostile = []string{
	"", "'", `"`, `'"'"'`, "`id`", "$(touch x)", "${HOME}", "!!", "a;b|c&d>e", "line\nbreak", "\n\n", "end\n", "\r", "\t", "-n", "--", "=ls", "~", "*", "\\", `\n\045`, "%s%n100%", "%0A",
	"</script><img src=x onerror=alert(1)>", "]]>", "<!--", "&lt;", "\x1b[2J\x1b]0;title\x07", "\u2028\u2029", "\x00", "a\x00b", "\xff\xc3", "\u202egnirts", "\ufeff", "\ufffd",
	"::error file=x::y", "a ::set-output name=x::y", "##[error]x", "::", "std::string", "../../x", "..", ".", "/etc/passwd", `C:\x`, "NUL", "con.json", "com1", strings.Repeat("long ", 2000),
	"end", "#35;", "a;b", "%%{init: {}}%%", "$$x$$", "| --- |", "```\nx", "````", "~~~", "[x](javascript:alert(1))", "![x](y)", "<b>", "- item", "1. item", "2) item", "# head", "===", "---", "> quote",
	"@somebody", "https://example.com", "WWW.example.com", "mailto:a@b", "*a* _b_ ~~c~~", "&#64;", "äöü ☃ 日本",
}

// FuzzShell asks a shell.
func FuzzShell(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, word string) {
		quoted := Shell(word)
		out, err := exec.Command("sh", "-c", "printf '%s|' "+quoted+" "+quoted).Output()
		want := strings.ReplaceAll(word, "\x00", "\ufffd") + "|"
		if err != nil || string(out) != want+want {
			t.Errorf("%q is quoted %s, which a shell reads as %q (%v)", word, quoted, out, err)
		}
		if body := strings.TrimRight(quoted, "'\n"); Printable(body) != body {
			t.Errorf("%q is quoted %q, which cannot be printed", word, quoted)
		}
	})
}

func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"plain-1.2_/=:,+@%": "plain-1.2_/=:,+@%", "": "''", "it's": `'it'\''s'`, "=ls": "'=ls'",
		"-a\x1b!": `"$(printf '\055a\033\041')"`, "100%\n": "\"$(printf '100%%')\"'\n'",
	} {
		if got := Shell(word); got != want {
			t.Errorf("%q is quoted %s, want %s", word, got, want)
		}
	}
	for path, want := range map[string]string{"-exec=x": "./-exec=x", "- x": "'./- x'", "a/-x": "a/-x"} {
		if got := ShellPath(path); got != want {
			t.Errorf("the path %q is quoted %s, want %s", path, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"äöü ☃ \ufffd":              "äöü ☃ \ufffd",
		"\x1b[31mred\x07\r\n":       `\x1b[31mred\a\r\n`,
		"\u202egnirts":              `\u202egnirts`,
		"a\xffb\xc3":                `a\xffb\xc3`,
		"'quoted' \"\\ and so'":     "'quoted' \"\\ and so'",
		"::error::x":                `\x3a:error::x`,
		"a ::stop-commands::x y::z": `a \x3a:stop-commands::x y::z`,
		"std::string, :: and ::1":   "std::string, :: and ::1",
		"x##[error]y":               `x#\x23[error]y`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := Printable(want); again != want {
			t.Errorf("%q: %q at the second time", want, again)
		}
	}
	if got, want := PrintableLines("a\tb\n\x1b\n::error::x\n"), "a    b\n\\x1b\n\\x3a:error::x\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFileName(t *testing.T) {
	for _, name := range []string{"gc-pause_setpx.v2", "console", "com", "com10", "a.b", "..a", "a..", strings.Repeat("x", longestName)} {
		if got := FileName(name); got != name {
			t.Errorf("%s is %s, though it is fit", name, got)
		}
	}
	names := map[string]string{}
	for _, text := range hostile {
		name := FileName(text)
		if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,210}$`).MatchString(name) || name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." || device.MatchString(name) {
			t.Errorf("%q is %q", text, name)
		}
		if other, known := names[name]; known {
			t.Errorf("%q and %q are %q", text, other, name)
		}
		names[name] = text
	}
}

// TestHTML: a parser reads back the text, in an element and in an attribute.
func TestHTML(t *testing.T) {
	for _, text := range hostile {
		text = strings.ToValidUTF8(strings.Map(func(r rune) rune { // what XML, unlike HTML, cannot have at all
			if r < ' ' {
				return -1
			}
			return r
		}, text), "\ufffd")
		d := xml.NewDecoder(strings.NewReader(`<a b="` + HTML(text) + `">` + HTML(text) + `</a>`))
		var got []string
		for {
			token, err := d.Token()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%q: %v", text, err)
				}
				break
			}
			switch x := token.(type) {
			case xml.StartElement:
				got = append(got, x.Attr[0].Value)
			case xml.CharData:
				got = append(got, string(x))
			}
		}
		if text != "" && !slices.Equal(got, []string{text, text}) {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	if got := HTML("\xff<\x1b"); !utf8.ValidString(got) || strings.Contains(got, "<") {
		t.Errorf("%q", got)
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a|b":                    `a\|b`,
		"<script>":               `\<script\>`,
		"`x` *y* [z](u)":         "\\`x\\` \\*y\\* \\[z\\]\\(u\\)",
		"a\nb":                   `a\\nb`,
		"SET lock v NX 1":        "SET lock v NX 1",
		"@somebody":              "&#64;somebody",
		"- a - b":                `\- a - b`,
		"1. a 2. b":              `1\. a 2. b`,
		"1.5 s":                  "1.5 s",
		"$x$":                    "&#36;x&#36;",
		"https://x www.y ftp: z": "https&#58;//x www&#46;y ftp&#58; z",
		"a:b.c":                  "a:b.c",
	} {
		if got := Markdown(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, text := range hostile {
		if got := Markdown(text); strings.ContainsAny(got, "\n\x00\x1b\u2028\u202e") || regexp.MustCompile("(^|[^\\\\])[`<>*_|]").MatchString(strings.ReplaceAll(got, `\\`, "")) {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// TestFenced: whatever is in a block, its last line is the first that ends it.
func TestFenced(t *testing.T) {
	for _, text := range append(hostile, "a\n```\nb", "````\n```") {
		lines := strings.Split(Fenced("text", text), "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		for i, line := range lines[1:] {
			if strings.HasPrefix(strings.TrimSpace(line), fence) != (i == len(lines)-3) {
				t.Errorf("%q: line %d is %q", text, i, line)
			}
		}
	}
	if got, want := Fenced("sh", "go test\nx\n"), "```sh\ngo test\nx\n```\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMermaid: texts have none of the characters by which Mermaid ends them or begins something else.
func TestMermaid(t *testing.T) {
	entity := regexp.MustCompile(`#\d+;`)
	for _, text := range hostile {
		if got := entity.ReplaceAllString(Mermaid(text), ""); strings.ContainsAny(got, "#;<>&%{}$`\n\x1b") {
			t.Errorf("%q is %q", text, got)
		}
	}
	if got := Mermaid("a; b <c>"); got != "a#59; b #60;c#62;" {
		t.Errorf("%q", got)
	}
}
