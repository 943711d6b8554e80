package viewer

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// matrixFile is the page of a small matrix, which has cells of several kinds.
var matrixFile = sync.OnceValue(func() string { return filepath.Join(pagesDir(), "matrix.html") })

// matrixPage makes it once for all tests.
func matrixPage(t testing.TB) string {
	t.Helper()
	file := matrixFile()
	if _, err := os.Stat(file); err != nil {
		simrunPage(t, file, []string{"matrix", "--lock", "setpx-fenced-elsewhere", "--lock", "setpx", "--lock", "setpx-twostep",
			"--scenario", "contention", "--scenario", "late-reply", "--scenario", "server-clock-jump", "--runs", "16", "-o", file})
	}
	return file
}

// TestLettersInCells: on the page of the matrix the letters are shown on demand, and stay in their cells then.
func TestLettersInCells(t *testing.T) {
	for _, width := range []int64{390, 1024, 1440} {
		b := openFile(t, matrixPage(t), view{width: width, height: 900})
		want(b, "letters at first", b.count(".matrix .letters"), 0)
		value[any](b, `document.getElementById("letters").click()`)
		b.settle()
		if b.count(".matrix .letters") < 3 {
			t.Error("there are no letters on demand")
		}
		for _, out := range value[[]string](b, `[...document.querySelectorAll(".matrix a.cell")].filter((cell) => [...cell.children].some((e) => { const c = cell.getBoundingClientRect(), r = e.getBoundingClientRect(); return r.left < c.left || r.right > c.right; })).map((e) => e.textContent)`) {
			t.Errorf("%d wide: %q runs out of its cell", width, out)
		}
	}
}

// TestMatrixOnPhone: on the page of the matrix a few scenarios are all in sight; of many, the names of the locks stay in sight while
// they are scrolled, and those of the scenarios while the locks are, in a box of their own.
func TestMatrixOnPhone(t *testing.T) {
	b := openFile(t, matrixPage(t), view{width: 390, height: 844, touch: true})
	want(b, "the page's width", value[int](b, `document.documentElement.scrollWidth`), 390)
	b.shoot("matrix-phone-few")
	last := b.box(".matrix thead th:last-child")
	if last.X+last.Width > 390 {
		t.Errorf("the last of three scenarios is at %v", last)
	}
	value[any](b, `(() => { // as many as the whole matrix has
		for (const row of document.querySelectorAll(".matrix tr:not(.family)")) { const cells = [...row.children].slice(1); for (let i = 0; i < 8; i++) row.append(...cells.map((c) => c.cloneNode(true))); }
		for (const family of document.querySelectorAll(".matrix .family th")) family.colSpan = 1 + 3 * 9;
		for (const body of document.querySelectorAll(".matrix tbody")) { const rows = [...body.rows].slice(1); for (let i = 0; i < 12; i++) body.append(...rows.map((r) => r.cloneNode(true))); }
	})()`)
	want(b, "the page's width with many scenarios", value[int](b, `document.documentElement.scrollWidth`), 390)
	before := b.box(`.matrix tbody th[scope="row"]`)
	value[any](b, `document.querySelector(".scroll").scrollLeft = 250`)
	b.settle()
	headers := b.box(".matrix thead th:nth-child(12)")
	value[any](b, `document.querySelector(".scroll").scrollTop = 300`)
	b.settle()
	if now := b.box(".matrix thead th:nth-child(12)"); now.X != headers.X || now.Y < headers.Y-3 || now.Y > headers.Y {
		t.Errorf("the name of a scenario is at %v after scrolling, and was at %v", now, headers)
	}
	b.shoot("matrix-phone")
	value[any](b, `document.querySelector(".scroll").scrollTop = 0`)
	b.settle()
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
