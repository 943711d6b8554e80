package viewer

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMatrixOnPhone: on the page of the matrix the names of the locks stay in sight while
// the scenarios are scrolled.
func TestMatrixOnPhone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "matrix.html")
	run := exec.Command("go", "run", "./cmd/simrun", "matrix", "--lock", "setpx-fenced-elsewhere", "--lock", "setpx", "--scenario", "contention", "--runs", "2", "-o", file)
	run.Dir = filepath.Join("..", "..")
	output, err := run.CombinedOutput() // fails if so few schedules find less than is expected
	if _, missing := os.Stat(file); missing != nil {
		t.Fatalf("%v, %v\n%s", missing, err, output)
	}
	b := openFile(t, file, view{width: 390, height: 844, touch: true})
	want(b, "the page's width", value[int](b, `document.documentElement.scrollWidth`), 390)
	before := b.box(`.matrix tbody th[scope="row"]`)
	value[any](b, `document.querySelector(".scroll").scrollLeft = 250`)
	b.settle()
	b.shoot("matrix-phone")
	want(b, "how far the table is scrolled", value[int](b, `document.querySelector(".scroll").scrollLeft`), 250)
	after := b.box(`.matrix tbody th[scope="row"]`)
	if after.X < 0 || after.X > before.X+1 || after.Width > 150 {
		t.Errorf("the name is at %v after scrolling, and was at %v", after, before)
	}
	if at := b.box(".family span"); at.X < 0 {
		t.Errorf("the name of the family is at %v", at)
	}
	for _, cut := range value[[]string](b, `[...document.querySelectorAll('.matrix tbody th[scope="row"]')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)`) {
		t.Errorf("the name %q is cut off", cut)
	}
	top := value[string](b, `(() => { const r = document.querySelector('.matrix tbody th[scope="row"]').getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2).closest("th, td").localName; })()`)
	want(b, "what is on top where the name is", top, "th")
}
