package viewer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// long is a run with more events than a page shows at a time.
func long() *traces.Trace {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	const us, ms = time.Microsecond, time.Millisecond
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")
	for i := range 60 {
		at := time.Duration(i+1) * 50 * ms
		a := s.Call(at, "c1", model.Acquire, nil)
		_, back := s.Grant(at+us, a, conn1, "redis1", "", fmt.Sprintf("%04dvalue", i))
		s.Answer(back+us, a, model.OK)
		s.ReleaseOwn(back+10*ms, a, conn1, "redis1", "", fmt.Sprintf("%04dvalue", i))
	}
	for i := range 3000 {
		s.Deny(3*ms+time.Duration(i)*ms, "c2", conn2, "redis1", sampletraces.ValueC2)
	}
	return s.Build()
}

// TestAllEvents: the table has all events of a long run, in portions, and says how many.
func TestAllEvents(t *testing.T) {
	trace := long()
	all := len(trace.Events)
	if all < 6000 {
		t.Fatalf("only %d events", all)
	}
	b := open(t, trace, view{})
	b.click("#events summary")
	want(b, "the title", b.text("#events summary"), fmt.Sprintf("All events (%d)", all))
	b.contains("the count", b.text("#count"), fmt.Sprintf("%d,%03d events; the first 1,000 are shown", all/1000, all%1000))
	want(b, "rows", value[int](b, `document.querySelectorAll("#events tbody tr").length`), 1000)
	for b.count("#more") > 0 {
		value[any](b, `document.getElementById("more").click()`)
	}
	seqs := value[[]int64](b, `[...document.querySelectorAll("#events tbody tr")].map((r) => Number(r.cells[0].textContent))`)
	want(b, "rows in the end", len(seqs), all)
	for i, e := range trace.Events {
		if seqs[i] != e.Seq {
			t.Fatalf("row %d is of event %d, want %d", i, seqs[i], e.Seq)
		}
	}
	want(b, "the count in the end", b.text("#count"), fmt.Sprintf("%d,%03d events", all/1000, all%1000))
	b.contains("the note on the picture", b.text(".stage .cut"), fmt.Sprintf("This run has %d events.", all))
	b.contains("the note on the steps", b.text(".tale .cut"), "steps are shown")
}

// TestSearch: words are found in all events, also in those that the table lacks at first;
// filters narrow them down; keys lead from match to match.
func TestSearch(t *testing.T) {
	trace := long()
	last := trace.Events[len(trace.Events)-1]
	b := open(t, trace, view{})
	b.press("/")
	want(b, "the focus", value[string](b, "document.activeElement.id"), "query")
	b.write("SET 0059V", kb.ModifierNone)
	b.settle()
	b.shoot("search")
	rows := `[...document.querySelectorAll("#events tbody tr")].map((r) => r.textContent)`
	found := value[[]string](b, rows)
	if len(found) == 0 || len(found) > 3 {
		t.Fatalf("%d rows: %q", len(found), found)
	}
	for _, r := range found {
		if !strings.Contains(strings.ToLower(r), "0059v") {
			t.Errorf("the row %q does not match", r)
		}
	}
	b.contains("the count", b.text("#count"), fmt.Sprintf("%d of ", len(found)))
	b.press(kb.Enter)
	b.contains("what is announced", b.text("#said"), fmt.Sprintf("1 of %d: event", len(found)))
	want(b, "current rows", value[int](b, `document.querySelectorAll("tr[aria-current]").length`), 1)
	from, to := stretch(b, "lens")
	at := value[float64](b, `Number(document.querySelector("tr[aria-current]").dataset.at) / 1e9`)
	if at < from || at > to {
		t.Errorf("the lens shows %v to %v, and not the match at %v", from, to, at)
	}
	b.press("n") // is a letter here
	want(b, "the field", value[string](b, `document.getElementById("query").value`), "SET 0059Vn")
	want(b, "rows without a match", len(value[[]string](b, rows)), 0)
	b.contains("the count", b.text("#count"), "0 of ")
	b.press(kb.Escape)
	value[any](b, `(() => { const s = document.getElementById("actor"); s.value = "c1"; s.dispatchEvent(new Event("input")); })()`)
	var c1, marks int
	for _, e := range trace.Events {
		if e.Actor == "c1" {
			c1++
			if e.Kind == "mark" {
				marks++
			}
		}
	}
	b.contains("the count of c1's", b.text("#count"), fmt.Sprintf("%d of", c1))
	value[any](b, `(() => { const s = document.getElementById("group"); s.value = [...s.options].find((o) => o.text === "calls and returns").value; s.dispatchEvent(new Event("input")); })()`)
	b.contains("the count of c1's calls and returns", b.text("#count"), fmt.Sprintf("%d of", marks))
	value[any](b, `document.getElementById("in-lens").click()`)
	inLens := func() int { return value[int](b, `document.querySelectorAll("#events tbody tr").length`) }
	from, to = stretch(b, "lens")
	n := 0
	for _, e := range trace.Events {
		if e.Actor == "c1" && e.Kind == "mark" && e.At.Seconds() >= from && e.At.Seconds() <= to {
			n++
		}
	}
	want(b, "c1's calls and returns in the lens", inLens(), n)
	value[any](b, `document.getElementById("in-lens").click()`)
	value[any](b, `(() => { for (const id of ["actor", "group"]) { const s = document.getElementById(id); s.value = ""; s.dispatchEvent(new Event("input")); } })()`)
	b.press("/")
	b.write(fmt.Sprint(last.Seq), kb.ModifierNone)
	b.press(kb.Enter)
	b.contains("what is announced of the last event", b.text("#said"), fmt.Sprintf("event %d", last.Seq))
}

// TestTableByKey: in the table, arrows choose an event and Enter goes to it.
func TestTableByKey(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	b.press("/", kb.Escape)
	value[any](b, `document.querySelector("#events tbody").focus()`)
	b.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowUp)
	want(b, "the current row", value[int](b, `[...document.querySelectorAll("#events tbody tr")].findIndex((r) => r.hasAttribute("aria-current"))`), 1)
	b.press(kb.Enter)
	seq := value[string](b, `document.querySelector("tr[aria-current]").cells[0].textContent`)
	b.contains("the moment", b.text("#look-at"), "event "+seq)
}

// currentRows are the numbers of the events of the rows that are the current one: one at most.
func currentRows(b *tab) []string {
	return value[[]string](b, `[...document.querySelectorAll("tr[aria-current]")].map((r) => r.cells[0].textContent)`)
}

// TestMatchesInLensStay: with "in the lens", Enter goes from match to match, though the lens moves
// to each of them; a move of the lens filters them anew.
func TestMatchesInLensStay(t *testing.T) {
	b := open(t, long(), view{})
	b.press("/")
	value[any](b, `document.getElementById("in-lens").click()`)
	matches := value[int](b, `document.querySelectorAll("#events tbody tr").length`)
	if matches < 4 {
		t.Fatalf("%d events in the lens", matches)
	}
	const waits = 400 * time.Millisecond // for a filter that comes 150 ms after the lens has moved
	for i := range 3 {
		b.press(kb.Enter)
		b.settle()
		time.Sleep(waits)
		b.contains("what is announced", b.text("#said"), fmt.Sprintf("%d of %d: event", i+1, matches))
		want(b, "current rows", len(currentRows(b)), 1)
	}
	before := currentRows(b)
	value[any](b, `document.activeElement.blur()`)
	b.press(">", ">", ">", ">", ">", ">")
	b.settle()
	time.Sleep(waits)
	want(b, "current rows after the lens has moved", len(currentRows(b)), 0)
	from, _ := stretch(b, "lens")
	if first := value[float64](b, `Number(document.querySelector("#events tbody tr").dataset.at) / 1e9`); first < from {
		t.Errorf("the table begins at %v, the lens at %v; the current row was %v", first, from, before)
	}
}

// TestOneCurrentRow: a row that was the current one is not when the table has been filtered.
func TestOneCurrentRow(t *testing.T) {
	b := open(t, sample(t, "gc-pause"), view{})
	b.press("/", kb.Enter, kb.Enter, kb.Enter)
	want(b, "current rows", len(currentRows(b)), 1)
	for _, words := range []string{"set", ""} {
		value[any](b, `((q) => { q.value = "`+words+`"; q.dispatchEvent(new Event("input")); })(document.getElementById("query"))`)
		want(b, "current rows behind a filter", len(currentRows(b)), 0)
		b.press(kb.Enter)
		want(b, "current rows", len(currentRows(b)), 1)
	}
}
