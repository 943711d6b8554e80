package ci

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnnotate: what the runner reads, with its escape sequences.
func TestAnnotate(t *testing.T) {
	work := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(work, link); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ä", maxMessage)
	for _, test := range []struct {
		of   Annotation
		want string
	}{
		{Annotation{Error, filepath.Join(work, "a", "x_test.go"), 12, "lockpick: two holders", "c1 and c2"}, "::error file=a/x_test.go,line=12,title=lockpick%3A two holders::c1 and c2\n"},
		{Annotation{Error, filepath.Join(link, "x_test.go"), 1, "", "m"}, "::error file=x_test.go,line=1::m\n"},
		{Annotation{Warning, "", 0, "", "100% of:\r\nall, and\n::error::more"}, "::warning ::100%25 of:%0Aall, and%0A\\x3a:error::more\n"},
		{Annotation{Error, "/elsewhere/x_test.go", 3, "a,b\nc%", "m"}, "::error title=a%2Cb%0Ac%25::m\n"},
		{Annotation{Error, filepath.Join(work, "a,b:c.go"), 0, "", "m"}, "::error file=a%2Cb%3Ac.go,line=1::m\n"},
		{Annotation{Error, "", 0, "t", long}, "::error title=t::" + long[:maxMessage] + "…\n"},
	} {
		var out bytes.Buffer
		NewGitHub(work, "").Annotate(&out, test.of)
		if out.String() != test.want {
			t.Errorf("got  %q\nwant %q", out.String(), test.want)
		}
	}
}

// TestCodeAt: a line of code is found from anywhere in its module, and nothing outside of it.
func TestCodeAt(t *testing.T) {
	work := t.TempDir()
	for _, name := range []string{"go.mod", "mylock/lock.go", "deep/er/x.go", "../outside.go"} {
		file := filepath.Join(work, "m", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ dir, code, want string }{
		{"m", "mylock/lock.go:41", "m/mylock/lock.go"},
		{"m/deep/er", "mylock/lock.go:41", "m/mylock/lock.go"},
		{"m", "github.com/redis/go-redis/v9/redis.go:41", ""},
		{"m", "../outside.go:41", ""},
		{"m", "mylock:41", ""},
		{"m", "mylock/lock.go", ""},
		{"m", "", ""},
		{".", "m/mylock/lock.go:41", ""},
	} {
		want, wantLine := "", 0
		if test.want != "" {
			want, wantLine = filepath.Join(work, test.want), 41
		}
		if file, line := CodeAt(filepath.Join(work, test.dir), test.code); file != want || line != wantLine {
			t.Errorf("%s in %s: got %s:%d, want %q", test.code, test.dir, file, line, want)
		}
	}
}

// TestFromEnvironment: only a step of GitHub Actions is one.
func TestFromEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "true": true} {
		t.Setenv("GITHUB_ACTIONS", value)
		if got := FromEnvironment() != nil; got != want {
			t.Errorf("GITHUB_ACTIONS=%s: %v", value, got)
		}
	}
}

// TestSummarize: what is appended never makes the file longer than GitHub takes, and says what
// is left out.
func TestSummarize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary")
	g := NewGitHub("", path)
	block := "# A\n\n```sh\n" + strings.Repeat("a line of some length\n", maxBlock/10) + "```\n"
	for range 2 * maxSummary / maxBlock {
		if err := g.Summarize(block); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxSummary-maxBlock || len(text) < maxSummary-2*maxBlock {
		t.Fatalf("it has %d bytes, %v", len(text), err)
	}
	if n := strings.Count(string(text), "lines are left out"); n < 2 || n != strings.Count(string(text), "# A") || strings.Count(string(text), "\n```") != 2*n {
		t.Errorf("%d cuts, %d blocks, %d fences", n, strings.Count(string(text), "# A"), strings.Count(string(text), "\n```"))
	}
	if err := NewGitHub("", "").Summarize(block); err != nil {
		t.Errorf("without a file: %v", err)
	}
	if err := NewGitHub("", filepath.Join(path, "none")).Summarize(block); err == nil {
		t.Error("no error where no file can be")
	}
}

// TestCutEndsBlocks: a block of code that is cut ends by its own fence, whatever is in it.
func TestCutEndsBlocks(t *testing.T) {
	for _, test := range []struct{ block, end string }{
		{"````text\n```\n" + strings.Repeat("a line\n", 200) + "````\n", "a line\n````\n\n*"},
		{"````text\n```\n````\n" + strings.Repeat("a line\n", 200), "a line\n\n*"},
	} {
		if got := cut(test.block, 2*room); !strings.Contains(got, test.end) || strings.Count(got, "\n````") != 1 {
			t.Errorf("it has no %q, or another end: %q", test.end, got)
		}
	}
}
