package text

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
)

// TestEnsembleWords: a story of an ensemble has the words of its store.
func TestEnsembleWords(t *testing.T) {
	trace := sampletraces.DoubleGrant()
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)redis|\bkeys?\b|primary|replica|\blease\b`).FindString(text.String()); word != "" {
		t.Errorf("%q is of another store:\n%s", word, &text)
	}
}
