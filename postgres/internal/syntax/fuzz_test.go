package syntax_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// FuzzParse parses anything: it returns statements or an error of PostgreSQL with a position in the text.
func FuzzParse(f *testing.F) {
	for _, s := range statementsOf(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := syntax.Parse(text)
		if err == nil {
			return
		}
		e, ok := errors.AsType[*pgerror.Error](err)
		if !ok {
			t.Fatalf("%q: %v is no error of PostgreSQL", text, err)
		}
		if e.Position < 0 || e.Position > utf8.RuneCountInString(text)+1 {
			t.Fatalf("%q: %v at %d", text, err, e.Position)
		}
	})
}
