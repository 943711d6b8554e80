package simrun

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestMatrixPage: every cell of the table leads to its section, which has what was
// found with a picture; nothing is fetched and no script runs; traces and their
// pages are where the page says.
func TestMatrixPage(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := t.TempDir()
	page := filepath.Join(dir, "pages", "matrix.html")
	if err := os.Mkdir(filepath.Dir(page), 0o777); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept")
	code, out, errs := simrun(t, "matrix", "--runs", "24", "--lock", "setpx", "--lock", "setpx-twostep", "--scenario", "contention", "--scenario", "two-step-release", "-o", page, "--out", kept)
	raw, err := os.ReadFile(page)
	if code != exitNone || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
	}
	text := string(raw)
	style := between(t, text, "<style>", "</style>")
	sum := sha256.Sum256([]byte(style))
	if policy := "style-src &#39;sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "&#39;"; !strings.Contains(text, strings.ReplaceAll(policy, "+", "&#43;")) {
		t.Error("the policy does not admit the style sheet")
	}
	for _, bad := range []string{"<script", "javascript:", "http://", "https://", "<img", "@import", " style="} {
		if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]] {
			t.Errorf("the id %q is there twice", m[1])
		}
		ids[m[1]] = true
	}
	cells := 0
	for _, m := range regexp.MustCompile(`<a class="cell ([a-z-]+)" href="#([^"]*)"`).FindAllStringSubmatch(text, -1) {
		cells++
		if !ids[m[2]] {
			t.Errorf("the cell %s leads nowhere", m[2])
		}
		section := between(t, text, `<section class="card detail" id="`+m[2]+`"`, "</section>")
		if has := strings.Contains(section, `<figure class="run">`); has != (m[1] != string(matrix.NoneFound)) {
			t.Errorf("%s, which is %s: has a figure: %v", m[2], m[1], has)
		}
	}
	if cells != 4 {
		t.Errorf("%d cells are links, want 4", cells)
	}
	links := regexp.MustCompile(`<a href="(\.\./kept/[^"]*)">`).FindAllStringSubmatch(text, -1)
	if len(links) < 3 {
		t.Errorf("%d links lead to pages of traces", len(links))
	}
	for _, m := range links {
		path := filepath.Join(filepath.Dir(page), m[1])
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		if tr, err := traces.ReadFile(strings.TrimSuffix(path, ".html") + ".json"); err != nil || tr.Shrunk == nil || tr.Attribution == nil {
			t.Errorf("its trace: %v", err)
		}
	}
}

// between is what stands between two texts.
func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, ok1 := strings.Cut(text, begin)
	part, _, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("the page has no %q with %q behind it", begin, end)
	}
	return part
}

// TestMatrixPageUnlike: the page says what is not as expected, and shows as text
// whatever it is told.
func TestMatrixPageUnlike(t *testing.T) {
	const evil = `<script>"&.`
	a, _ := expecting(t, expect.Expectations{Lock: "setpx", Reason: evil, In: []expect.Expectation{{Scenario: "contention", Must: []model.Violation{{Property: checker.Progress}}}}})
	page := filepath.Join(t.TempDir(), "matrix.html")
	if code := a.main(t.Context(), []string{"matrix", "--runs", "2", "--scenario", "contention", "-o", page}); code != exitViolation {
		t.Errorf("exit code %d", code)
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if strings.Contains(text, "<script>") || !strings.Contains(text, "Not as expected") || !strings.Contains(text, `none-found unlike`) {
		t.Errorf("the page is\n%s", text)
	}
}
