package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// articleCommands are the commands of docs/articles, by the names of the golden files with what they print. The
// articles show them as go run ./cmd/simrun.
var articleCommands = []struct {
	golden string
	code   int
	args   string
}{
	{"late_reply_setpx", exitViolation, "run late-reply --lock setpx --runs 100"},
	{"late_reply_pull", exitInconclusive, "run late-reply --lock pull --runs 500"},
	{"lost_reply_pull", exitNone, "run lost-reply --lock pull --runs 500"},

	{"late_request_setpx", exitViolation, "run late-request --lock setpx --runs 100"},
	{"clock_skew_setpx", exitNone, "run clock-skew --lock setpx --runs 500"},
	{"clock_skew_setnx-getset", exitViolation, "run clock-skew --lock setnx-getset --runs 200"},
	{"gc_pause_redlock", exitViolation, "run gc-pause --lock redlock --runs 50"},
	{"failover_loss_setpx", exitViolation, "run failover-loss --lock setpx --runs 200 --seed 3"},
	{"failover_loss_setpx-wait", exitViolation, "run failover-loss --lock setpx-wait --runs 500"},
	{"late_write_pull", exitViolation, "run two-step-release --lock pull --runs 200"},
	{"gc_pause_setpx-fenced", exitNone, "explain ../traces/corpus/gc-pause_setpx-fenced_mutual-exclusion.json"},
	{"clock_jump_setpx-fenced", exitNone, "explain ../traces/corpus/server-clock-jump_setpx-fenced_mutual-exclusion.json"},
	{"failover_loss_setpx-fenced", exitNone, "explain ../traces/corpus/failover-loss_setpx-fenced_fencing.json"},
	{"partition_setpx-fenced", exitNone, "explain ../traces/corpus/partition_setpx-fenced_fencing.json"},
	{"late_request_setpx-twostep", exitNone, "explain ../traces/corpus/late-request_setpx-twostep_owner-only-release.json"},
}

// TestArticleCommands: they print what is kept, of which the articles quote lines. Each command stands in an article.
func TestArticleCommands(t *testing.T) {
	dir := t.TempDir()
	text := articles(t)
	for _, c := range articleCommands {
		t.Run(c.golden, func(t *testing.T) {
			if shown := "go run ./cmd/simrun " + strings.ReplaceAll(c.args, "../traces", "traces"); !strings.Contains(text, shown+"\n") {
				t.Errorf("no article has the command %q", shown)
			}
			if strings.HasPrefix(c.args, "run") {
				slowtest.SkipIfShort(t)
			}
			args := strings.Fields(c.args)
			if args[0] == "run" {
				args = append(args, "--stable", "--out", dir)
			}
			code, out, errs := simrun(t, args...)
			if code != c.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr: %s", code, c.code, errs)
			}
			if comparable(t) {
				golden.File(t, filepath.Join("testdata", "articles", c.golden+".golden"), strings.ReplaceAll(out, dir, "DIR"))
			}
		})
	}
}

// TestArticleQuotes: what the articles quote is what commands print, word by word.
func TestArticleQuotes(t *testing.T) {
	golden.Quotes(t, "../docs/articles/told-too-late.md", 6)
	golden.Quotes(t, "../docs/articles/what-breaks-a-lease.md", 13)
}

// articles are the texts of docs/articles.
func articles(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("../docs/articles/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no articles: %v", err)
	}
	var all strings.Builder
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestArticlePictures: the pictures of the articles are those that view draws of traces of the corpus.
func TestArticlePictures(t *testing.T) {
	text := articles(t)
	for picture, trace := range map[string]string{
		"lost-reply":           "lost-reply_setpx-twostep_owner-only-release",
		"gc-pause-fenced":      "gc-pause_setpx-fenced_mutual-exclusion",
		"failover-loss-fenced": "failover-loss_setpx-fenced_fencing",
	} {
		path := "traces/corpus/" + trace + ".json"
		if command := "go run ./cmd/simrun view " + path + "\n"; !strings.Contains(text, command) || !strings.Contains(text, "("+picture+".svg)") {
			t.Errorf("no article has the picture %s and the command %q", picture, command)
		}
		code, out, errs := simrun(t, "view", "../"+path, "--format", "svg", "-o", "-")
		if code != exitNone {
			t.Errorf("%s: exit code %d: %s", trace, code, errs)
		}
		golden.File(t, "../docs/articles/"+picture+".svg", out)
	}
}
