package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// A trace may come from anywhere, and the test made of it is compiled and run. So no string of a trace becomes source: it
// is the value of a string literal or the text of a comment, by the two functions below, and identifiers are made here. In
// the text of a test they are references «#n», which are resolved last, so that no string is searched for references of
// its own.

// literal returns a reference to a string literal.
func (s *Script) literal(text string) string { return s.refer(strconv.Quote(text)) }

// comment returns a reference to the text of a comment that ends with its line.
func (s *Script) comment(text string) string { return s.refer(comment(text)) }

func (s *Script) refer(source string) string {
	s.quoted = append(s.quoted, source)
	return fmt.Sprintf("«#%d»", len(s.quoted)-1)
}

// comment returns text that can follow // on a line: it does not end the comment, and is not a directive.
func comment(text string) string {
	return strings.ReplaceAll(wording.Printable(text), "+build", "+ build") // a constraint before Go 1.17
}

// message returns the format of a message, a string literal, that is about clients.
func (s *Script) message(format string, clients ...string) string {
	var names []any
	for _, name := range clients {
		names = append(names, strings.ReplaceAll(name, "%", "%%"))
	}
	return s.literal(fmt.Sprintf(format, names...))
}

// ident returns the variable of a client: its name if that has the usual form, c1 and so on, which is the name of nothing
// else; otherwise one with its number.
func (s *Script) ident(client string) string {
	if n, err := strconv.Atoi(strings.TrimPrefix(client, "c")); err == nil && n > 0 && client == fmt.Sprint("c", n) {
		return client
	}
	return fmt.Sprint("client", 1+slices.Index(s.clients, client))
}

// TestName returns the name of the test: the letters and digits of its property and its scenario.
func (s *Script) TestName() string {
	name := "Test"
	for _, part := range strings.FieldsFunc(s.verdict.Property+"-in-"+s.Trace.Scenario, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		name += upper(part)
	}
	return name
}

// inOrder sorts clients in the order of the trace.
func inOrder(t *traces.Trace, clients []string) {
	place := func(name string) int {
		return slices.IndexFunc(t.Actors, func(a traces.Actor) bool { return a.Name == name })
	}
	slices.SortStableFunc(clients, func(a, b string) int { return place(a) - place(b) })
}
