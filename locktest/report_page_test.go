package locktest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// TestCheckReport: -simrun.report has all calls of Check in one page, the artifact directory
// has a page for each test, and both show each cause with its picture, what was searched
// with its seed and budget, and what was not.
func TestCheckReport(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir, artifacts := t.TempDir(), t.TempDir()
	u := &user{dir: dir, binary: newUser(t).binary}
	const pattern = "^(TestNaive|TestBound)$"
	args := []string{"-simrun.report=pages/report.html", "-test.artifacts", "-test.outputdir=" + artifacts}
	out, passed := u.test(t, pattern, args...)
	if passed {
		t.Fatalf("it passed\n%s", out)
	}
	path := filepath.Join(dir, "pages", "report.html")
	read := func(path string) string {
		t.Helper()
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(page)
	}
	page := read(path)
	says(t, page, "What the tests of example.com/user/locks searched and found", "a request of another removed or overwrote the live lock",
		"the holder&#39;s process was stopped while its lease ended as granted", "strategy portfolio, seed 1", "none-found; 200 schedules",
		"exhaustive, bound 1", "clients=2", `<a class="cell fault" href="#`, `<a class="cell none-found" href="#`,
		`href="../testdata/simrun/TestNaive/gc-pause_owner-only-release.json"`,
		"Replay: <code>go test -run &#39;^TestNaive$/^gc-pause$&#39; example.com/user/locks -simrun.replay=testdata/simrun/TestNaive/gc-pause_owner-only-release.json")
	if n, causes := strings.Count(page, `<figure class="run">`), strings.Count(page, `<section class="card" id="cause`); n < causes || causes < 2 {
		t.Errorf("%d figures of %d causes", n, causes)
	}
	for _, m := range regexp.MustCompile(`href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	var own []string
	err := filepath.WalkDir(artifacts, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(path) == "report.html" {
			own = append(own, path)
		}
		return err
	})
	if err != nil || len(own) != 2 {
		t.Fatalf("the artifacts have the reports %v, %v\n%s", own, err, out)
	}
	for _, path := range own {
		if one := read(path); strings.Contains(one, "TestNaive") == strings.Contains(one, "TestBound") {
			t.Errorf("%s is of both tests, or of none", path)
		}
	}

	// A kept case that still fails is tried first: nothing else is searched, and it is said.
	out, _ = u.test(t, pattern, args[:1]...)
	says(t, read(path), "a kept case fails: the scenario was not searched", "was tried first")

	// A report that cannot be written fails the test.
	out, passed = u.test(t, "^TestBound$", "-simrun.report="+filepath.Join(path, "x.html"))
	if passed {
		t.Errorf("it passed\n%s", out)
	}
	says(t, out, "the report cannot be written")

	// The page of another package stays.
	const another = "<title>What the tests of example.com/another searched and found: "
	if err := os.WriteFile(path, []byte(another), 0o666); err != nil {
		t.Fatal(err)
	}
	out, passed = u.test(t, "^TestBound$", args[:1]...)
	if now := read(path); passed || now != another {
		t.Errorf("passed: %v, and the page is now\n%.300s", passed, now)
	}
	says(t, out, "the report cannot be written", "if it is the page of another package, name a relative path")
}
