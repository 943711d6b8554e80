package wording

import (
	"fmt"
	"hash/fnv"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file has one function for each place in which a text from a trace, a history, a state, a worker or an error of the
// code under test is shown. Package ci has those for GitHub's annotations and for JUnit's XML.

// command is the beginning of a line, or a part of one, that a runner of GitHub Actions obeys when a step prints it.
var command = regexp.MustCompile(`(^|\s)::([A-Za-z])|##\[`)

// Printable returns text for a terminal or a log: it replaces unprintable characters of an
// untrusted text by Go's escape sequences. None moves a cursor, rings a bell, reverses the
// direction of reading or commands GitHub's runner, wherever the text is broken into lines.
func Printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		text = escaped(text, func(r rune) bool { return !unicode.IsPrint(r) })
	}
	if strings.Contains(text, "::") || strings.Contains(text, "##[") {
		text = command.ReplaceAllStringFunc(text, func(s string) string {
			if s == "##[" {
				return `#\x23[`
			}
			return strings.Replace(s, "::", `\x3a:`, 1)
		})
	}
	return text
}

// PrintableLines returns text of several lines, each as by [Printable]. A tab is four spaces.
func PrintableLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}

// escaped replaces the characters for which which returns true, and invalid bytes, by Go's escape sequences.
func escaped(text string, which func(rune) bool) string {
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[i])|0x100, 16)[1:])
		case which(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Shell returns a word for a shell, in quotes if it needs them. Where [Printable] would change it, printf
// makes it of escape sequences. No word has a NUL: it becomes U+FFFD.
func Shell(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+@%-"
	word = strings.ReplaceAll(word, "\x00", "\ufffd")
	text := strings.TrimRight(word, "\n") // a shell removes line breaks at the end of a command's output
	switch {
	case Printable(text) != text || text != word:
		return `"$(printf '` + octal(text) + `')"` + strings.Repeat("'\n'", len(word)-len(text))
	case word != "" && strings.Trim(word, safe) == "" && word[0] != '=': // zsh looks for the command =x
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellPath returns the path of a file or a package for a shell, as a word that no command takes for a flag.
func ShellPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return Shell(path)
}

// octal returns a format for printf, with numbers for the bytes that a shell or a terminal might interpret.
func octal(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '%':
			b.WriteString("%%")
		case r != utf8.RuneError && unicode.IsPrint(r) && !strings.ContainsRune("'\"\\`!$:#", r) && (i > 0 || r != '-'):
			b.WriteRune(r)
		default:
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += size
	}
	return b.String()
}

var (
	// unfit are the characters that a file's name should not have.
	unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	// device matches names of devices on Windows, with any ending.
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// longestName is the maximum length of [FileName]: it leaves room for an ending.
const longestName = 200

// FileName returns a part of a path: never another directory or a device. Fit names are returned unchanged, and each other
// name gets a hash of its own.
func FileName(text string) string {
	name := unfit.ReplaceAllString(text, "_")
	if name == text && strings.Trim(name, ".") != "" && len(name) <= longestName && !device.MatchString(name) {
		return name
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // it takes everything
	name = strings.Trim(name[:min(len(name), longestName)], ".")
	if device.MatchString(name) {
		name = "_" + name
	}
	return fmt.Sprintf("%s-%08x", name, h.Sum32())
}

// HTML returns text in an element of HTML or SVG, or in a quoted attribute, where no template writes it.
func HTML(text string) string { return html.EscapeString(strings.ToValidUTF8(text, "\ufffd")) }

// link matches text that GitHub turns into a link in Markdown, though it is no markup.
var link = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp)(:)|(www)(\.)`)

// Markdown returns text in Markdown, in a paragraph, a heading or a cell of a table: nothing in it is markup or
// a link, and no @name notifies a user.
func Markdown(text string) string {
	var b strings.Builder
	text = link.ReplaceAllString(Printable(text), "$1$3\x00$2$4") // the character after the NUL is written as an entity
	for i, r := range text {
		switch {
		case r == 0:
		case r == '@' || r == '$' || i > 0 && text[i-1] == 0: // a mention, or a formula
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]<>()#+!|~&", r) || i == 0 && (r == '-' || r == '='):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return numbered.ReplaceAllString(b.String(), `$1\$2`)
}

// numbered is the beginning of a list's item.
var numbered = regexp.MustCompile(`^(\d+)([.)](?:\s|$))`)

// Fenced returns text in a block of code of Markdown, which it cannot end.
func Fenced(language, text string) string {
	text = PrintableLines(strings.TrimRight(text, "\n"))
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence + "\n"
}

// Mermaid returns text in a diagram of Mermaid: in one line, with Mermaid's own characters as entities.
func Mermaid(text string) string {
	var b strings.Builder
	for _, r := range Printable(text) {
		switch r {
		case '#', ';', '<', '>', '&', '%', '{', '}', '$', '`':
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
