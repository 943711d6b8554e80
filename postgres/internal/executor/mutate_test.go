package executor

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

var word = regexp.MustCompile(`'[^']*'|[a-zA-Z_0-9.]+|[^\sa-zA-Z_0-9]`)

// control begins statements about transactions.
var control = regexp.MustCompile(`^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT)`)

// corpus returns the statements of the scripts, but those about transactions.
func corpus(t *testing.T) (all, words []string) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if who, st, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && len(who) == 1 && !strings.HasPrefix(line, " ") && !control.MatchString(st) {
				all = append(all, st)
				words = append(words, word.FindAllString(st, -1)...)
			}
		}
	}
	return all, words
}

// mutate replaces a word of a statement by another.
func mutate(r *rand.Rand, st string, words []string) string {
	if r.IntN(3) == 0 {
		return st
	}
	places := word.FindAllStringIndex(st, -1)
	at := places[r.IntN(len(places))]
	return st[:at[0]] + words[r.IntN(len(words))] + st[at[1]:]
}

// TestMutated executes statements of the scripts in which words are replaced by others: none may panic or be an internal error.
func TestMutated(t *testing.T) {
	all, words := corpus(t)
	rounds := 5000
	if testing.Short() {
		rounds = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := newHost().session()
	for range rounds {
		s.mutated(t, mutate(r, all[r.IntN(len(all))], words))
	}
}

// mutated executes a statement.
func (s *session) mutated(t *testing.T, text string) {
	defer func() {
		if e := recover(); e != nil {
			t.Fatalf("%s: panic: %v\n%s", text, e, debug.Stack())
		}
	}()
	for _, line := range s.simple(text) {
		if strings.Contains(line, pgerror.InternalError+":") {
			t.Errorf("%s: %s", text, line)
		}
	}
}

// TestMutatedReal compares such statements with a real server: -postgres.
func TestMutatedReal(t *testing.T) {
	if *server == "" {
		t.Skip("no -postgres was given")
	}
	all, words := corpus(t)
	r := rand.New(rand.NewPCG(*mutations, 2))
	p, q := newReal(t), newSimulated(t)
	defer p.close()
	for range 3000 {
		st := mutate(r, all[r.IntN(len(all))], words)
		if strings.Contains(st, "timestamp") || strings.Contains(st, "advisory") || strings.Contains(st, "now") || strings.Contains(st, "pg_class") {
			continue
		}
		q.start("1", st)
		got, _ := q.answers("1")
		if strings.Contains(strings.Join(got, " "), "the simulated PostgreSQL does not") {
			continue
		}
		p.start("1", st)
		want, _ := p.answers("1")
		if !slices.Equal(got, want) {
			t.Errorf("%s\n\tgot  %q\n\twant %q", st, got, want)
		}
	}
}

var mutations = flag.Uint64("mutations", 1, "with -postgres: the seed of statements that are compared")
