package history

import (
	"strings"
	"testing"
)

// order shows the events of all operations in the order of their numbers:
// called a, returned /a; the end of a's lease is ~a.
func order(h *History) string {
	words := make(map[int64]string)
	last := int64(0)
	put := func(at int64, word string) {
		if at != 0 {
			words[at] += word
			last = max(last, at)
		}
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		put(c.Call, c.Client)
		put(c.Return, "/"+c.Client)
		put(c.Until, "~"+c.Client)
	}
	var list []string
	for at := int64(1); at <= last; at++ {
		list = append(list, words[at])
	}
	return strings.Join(list, " ")
}

// TestEqualStamps is about the one reading that equal stamps have.
func TestEqualStamps(t *testing.T) {
	const lease = `{"client":"x","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok","until":5}` + "\n"
	for _, test := range []struct {
		name, in    string
		uncertainty int64
		want        string
		shared      int
	}{
		{"no equal ones", op("a", "acquire", 1, 3) + op("b", "acquire", 2, 4), 0, "a b /a /b", 0},
		{"whoever returned was first", op("b", "acquire", 5, 9) + op("a", "release", 1, 5), 0, "a /a b /b", 2},
		{"at one instant all at once, behind the returns and before the calls",
			op("d", "acquire", 5, 9) + op("b", "release", 5, 5) + op("c", "release", 5, 5) + op("a", "release", 1, 5), 0,
			"a /a b c /b /c d /d", 6},
		{"a lease ends before all else", op("a", "acquire", 3, 5) + lease, 0, "x /x a ~x /a", 2},
		{"a crash is behind the returns", `{"client":"a","op":"crash","call":5,"outcome":"unknown"}` + "\n" + op("a", "acquire", 3, 5), 0, "a /a a", 2},
		{"uncertainty makes them concurrent", op("b", "acquire", 5, 9) + op("a", "release", 1, 5), 1, "a b /a /b", 0},
		{"and what is less apart than that", op("b", "acquire", 8, 19) + op("a", "release", 1, 5), 4, "a b /a /b", 0},
		{"and no more", op("b", "acquire", 10, 19) + op("a", "release", 1, 5), 4, "a /a b /b", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := Read(Options{Uncertainty: test.uncertainty}, Input{Reader: strings.NewReader(test.in)})
			if err != nil {
				t.Fatal(err)
			}
			if got := order(h); got != test.want || h.Shared != test.shared {
				t.Errorf("got %s, %d shared; want %s, %d", got, h.Shared, test.want, test.shared)
			}
		})
	}
}

// TestQueueing keeps the instant of queueing between call and return, and a
// known instant known.
func TestQueueing(t *testing.T) {
	fair := func(from, by string) string {
		return `{"client":"a","object":"o","op":"acquire","call":3,"return":9,"outcome":"ok"` + from + by + "}\n"
	}
	for _, test := range []struct {
		name, in string
		known    bool
	}{
		{"between", fair(`,"queuedFrom":4`, `,"queued":6`), false},
		{"known", fair(`,"queuedFrom":4`, `,"queued":4`), true},
		{"known, at the return", fair(`,"queuedFrom":9`, `,"queued":9`), true},
		{"known, at the call", fair(`,"queuedFrom":3`, `,"queued":3`), true},
		{"at the call and the return", fair(`,"queuedFrom":3`, `,"queued":9`), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := read(test.in)
			if err != nil {
				t.Fatal(err)
			}
			c := h.Calls[0]
			between := c.Call <= c.QueuedFrom && c.QueuedFrom <= c.Queued && c.Queued <= c.Return
			if known := c.QueuedFrom == c.Queued; !between || known != test.known {
				t.Errorf("called %d, queued %d to %d, returned %d", c.Call, c.QueuedFrom, c.Queued, c.Return)
			}
		})
	}
}
