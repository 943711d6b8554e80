package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// Mannered are words that make a comment or a message need a second reading, each with a replacement.
var Mannered = []struct{ Words, Instead string }{
	{`tell|tells|telling|told`, "say, report, notify, send or distinguish"},
	{`what it is`, "a noun for it"},
	{`who asks|whoever`, "who it is: the caller, the client, the reader"},
	{`(?:comes?|came) (?:to|of)`, "reach, resume, end; result, outcome"},
	{`stands`, "is, is in, holds, precedes, follows (stands for and stands still are fine)"},
	{`(?:is|are|was|were) said`, "who says it, or what is reported"},
}

// MannerAllowed are places that may use a mannered word, each with the reason: a file or a directory, or one of these, a
// colon and the sentence with the word, or a part of it.
var MannerAllowed = map[string]string{
	"internal/test/arch/plain.go":                      "lists the words",
	"README.md:A lock that is told the truth too late": "the title of an article",
	"docs/experiments.md":                              "make experiments writes it, and takes hours",
	"docs/properties.md:told soon after the lease has": "package checker writes it",
	"docs/properties.md:was not told soon":             "package checker writes it",
	"sim/server/notes.go:{node} told its client at":    "traces have the text",
	"sim/server/notes.go:tells {owner}":                "traces have the text",
	"sim/simredis/sentinel.go:tells its clients of":    "traces have the text",
	"sim/simredis/shown.go:{node} tells {owner} that":  "traces have the text",

	"checker:was told that":                                         "kept traces have the text",
	"checker/endings/doc.go:not-told:":                              "the name of a cause",
	"checker/holders/tenure.go:Stands reports":                      "the function's name",
	"checker/property_linearizable.go:What the clients were told":   "kept traces have the text",
	"checker/property_overrun.go:tells its end":                     "kept traces have the text",
	"checker/property_progress.go:whoever waits gets the lock":      "kept traces have the text",
	"checker/property_release_denied.go:yet told":                   "old traces are shown with the text",
	"checker/property_timely_loss.go:is told soon after the lease":  "docs/properties.md has the text",
	"checker/property_timely_loss.go:without telling its end":       "kept traces have the text",
	"checker/property_timely_loss.go:and nothing told it":           "kept traces have the text",
	"checker/sentence.go:so nothing tells who truly has the lock":   "kept traces have the text",
	"internal/judgepage/draw.go:the table below tells the same":     "goldens have the text",
	"internal/judgepage/draw.go:and what it was told":               "goldens have the text",
	"internal/judgepage/section.go:told bad":                        "classes of a style sheet",
	"internal/test/sampletraces:was told that":                      "goldens have the text",
	"internal/test/sampletraces/ensemble.go:Tell adds":              "the function's name",
	"internal/test/sampletraces/notes.go:{node} told its client at": "goldens have the text",
	"internal/test/sampletraces/notes.go:tells {owner}":             "goldens have the text",
	"lab/experiments/herd.go:is told by a message":                  "docs/experiments.md has the text",
	"lab/experiments/herd.go:only the next one is told":             "docs/experiments.md has the text",
	"lab/experiments/herd.go:tells the watch of it":                 "docs/experiments.md has the text",
	"lab/experiments/load.go:is told":                               "docs/experiments.md has the text",
	"lab/experiments/optimistic.go:what its users are told":         "docs/experiments.md has the text",
	"lab/experiments/retry.go:would not tell No1 from No2":          "docs/experiments.md has the text",
	"lab/experiments/retry.go:of them stands above":                 "docs/experiments.md has the text",
	"model/cause.go:tells of its loss":                              "goldens and docs/properties.md have the text",
	"model/claim.go:Stands reports":                                 "the function's name",
	"traces/old_notes.go:{node} told its client at":                 "makes of old traces what sim/server/notes.go makes",
	"traces/old_notes.go:tells {owner}":                             "makes of old traces what sim/server/notes.go makes",
	"traces/render/page/view.go:told bad":                           "two classes of the page's style",
	"traces/render:the steps tell the same in words":                "pictures in docs have the text",
	"traces/render:The steps tell the same in words":                "as the pictures in docs",
	"traces/story/steps_lock.go:is told that it":                    "docs and reports of runs have the text",
	"traces/undescribed.go":                                         "frozen: what old traces were judged by",
}

// NotYetPlain are directories that the rule does not check yet. Take a directory from the list once its words are plain; add none.
var NotYetPlain []string

// manner matches any of the words.
var manner = func() *regexp.Regexp {
	var all []string
	for _, m := range Mannered {
		all = append(all, strings.ReplaceAll(m.Words, " ", `\s+`))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
}()

// checkPlain reports the mannered words of a file's comments and messages: the string literals that are more than one word.
func (m *Module) checkPlain(f *file) {
	if f.test || below(f.name, NotYetPlain) {
		return
	}
	for _, group := range f.Comments {
		var text strings.Builder
		for _, c := range group.List {
			text.WriteString(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*") + "\n")
		}
		line := m.fset.Position(group.Pos()).Line
		m.mannered(f, text.String(), func(newlines int) token.Position { return token.Position{Filename: f.name, Line: line + newlines} })
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				return false
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(strings.TrimSpace(text), " ") {
				m.mannered(f, text, func(int) token.Position { return m.fset.Position(n.Pos()) })
			}
		}
		return true
	})
}

// mannered reports each mannered word of a text, with its sentence. The position is that of the word's line, by the number of lines before it.
func (m *Module) mannered(f *file, text string, at func(newlines int) token.Position) {
	for _, found := range manner.FindAllStringIndex(text, -1) {
		word := strings.Join(strings.Fields(text[found[0]:found[1]]), " ")
		sentence := sentenceAround(text, found[0], found[1])
		if strings.EqualFold(word, "stands") && regexp.MustCompile(`^\s+(?:for|still)\b`).MatchString(text[found[1]:]) || allowed(f.name, sentence) {
			continue
		}
		m.problems = append(m.problems, Problem{at(strings.Count(text[:found[0]], "\n")), Plain, fmt.Sprintf("%q in %q", word, sentence), "write " + instead(word)})
	}
}

// instead returns the replacement of a word.
func instead(word string) string {
	for _, m := range Mannered {
		if regexp.MustCompile(`(?i)^(?:` + m.Words + `)$`).MatchString(word) {
			return m.Instead
		}
	}
	panic("no rule has the word " + word)
}

// sentenceAround returns the sentence of a text that has the bytes from start to end, on one line.
func sentenceAround(text string, start, end int) string {
	ends := regexp.MustCompile(`[.:;?!]\s|\n\s*\n|\|`)
	if all := ends.FindAllStringIndex(text[:start], -1); len(all) > 0 {
		start = all[len(all)-1][1]
	} else {
		start = 0
	}
	rest := len(text)
	if next := ends.FindStringIndex(text[end:]); next != nil {
		rest = end + next[0] + 1
	}
	return strings.Join(strings.Fields(text[start:rest]), " ")
}

// allowed reports whether a sentence of a file is in MannerAllowed.
func allowed(name, sentence string) bool {
	for where := range MannerAllowed { // unordered: any will do
		place, part, _ := strings.Cut(where, ":")
		if below(name, []string{place}) && strings.Contains(sentence, strings.TrimSpace(part)) {
			return true
		}
	}
	return false
}

// below reports whether a file is one of the places, or in one of them.
func below(name string, places []string) bool {
	for _, place := range places {
		if name == place || strings.HasPrefix(name, place+"/") {
			return true
		}
	}
	return false
}
