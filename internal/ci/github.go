package ci

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// GitHub is a step of a workflow of GitHub Actions. It is not safe for concurrent use.
type GitHub struct {
	workspace string // the directory of the checkout
	summary   string // the file of the step's summary
}

// FromEnvironment returns the step that the process is a part of, nil if it is none.
func FromEnvironment() *GitHub {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	return NewGitHub(os.Getenv("GITHUB_WORKSPACE"), os.Getenv("GITHUB_STEP_SUMMARY"))
}

// NewGitHub returns a step with the paths of its checkout and of the file for its summary. Either
// may be empty.
func NewGitHub(workspace, summary string) *GitHub { return &GitHub{workspace, summary} }

// Level is the severity of an annotation.
type Level string

// The levels.
const (
	Error   Level = "error"
	Warning Level = "warning"
)

// Annotation is a remark that GitHub shows beside the result of a workflow, and at the line of
// the file if one is named.
type Annotation struct {
	Level   Level
	File    string // absolute, or empty
	Line    int    // from 1
	Title   string
	Message string
}

// maxMessage is the maximum length of a message in bytes. GitHub cuts messages that are much longer.
const maxMessage = 4000

// Annotate writes annotations, a line for each. GitHub shows the first ten of a step.
func (g *GitHub) Annotate(w io.Writer, list ...Annotation) {
	for _, a := range list {
		var properties []string
		if file := g.relative(a.File); file != "" {
			properties = append(properties, "file="+property(file), fmt.Sprintf("line=%d", max(a.Line, 1)))
		}
		if a.Title != "" {
			properties = append(properties, "title="+property(a.Title))
		}
		fmt.Fprintf(w, "::%s %s::%s\n", a.Level, strings.Join(properties, ","), data(clipped(a.Message)))
	}
}

// relative returns the path of a file in the checkout, empty if it is not in it.
func (g *GitHub) relative(file string) string {
	if file == "" || g.workspace == "" {
		return ""
	}
	there := filepath.Join(real(filepath.Dir(file)), filepath.Base(file))
	for _, pair := range [][2]string{{g.workspace, file}, {real(g.workspace), there}} {
		if path, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(path) {
			return filepath.ToSlash(path)
		}
	}
	return ""
}

// CodeAt returns the place of a line of code, given as a file's path in its module and a number: the module is that of a
// directory. The file is empty if it does not exist.
func CodeAt(dir, code string) (file string, line int) {
	colon := max(strings.LastIndexByte(code, ':'), 0)
	path := code[:colon]
	line, err := strconv.Atoi(strings.TrimPrefix(code[colon:], ":"))
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil || !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", 0
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", 0
		}
	}
	file = filepath.Join(dir, filepath.FromSlash(path))
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return "", 0
	}
	return file, line
}

// real returns a path without symbolic links, as far as it exists.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// data returns text for after a command. In it the runner sees no other line and a terminal no control sequence.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\n", "%0A").Replace(wording.PrintableLines(strings.ReplaceAll(s, "\r\n", "\n")))
}

// property returns the text of a property, which ends at a comma, and the properties at a colon.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}

// clipped returns the beginning of a text, and an ellipsis if there is more.
func clipped(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
