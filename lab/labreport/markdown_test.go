package labreport

import (
	"bytes"
	"testing"
)

func TestMarkdown(t *testing.T) {
	full := Figure{Median: 1000, Low: 990, High: 1010, Published: 500, Real: 400, Alike: 800}
	alone := None()
	alone.Median, alone.Low, alone.High = 2.5, 2.5, 2.5
	report := Report{
		Experiment: "waits", Question: "How long?", Source: "A document", Command: "simrun experiment waits",
		Claims: []Claim{{Sentence: "It is long.", Holds: 3, Of: 4, Note: "Often."}},
		Tables: []Table{
			{Title: "All", What: "lock", Columns: []Column{{"requests", ""}, {"wait", "ms"}}, Rows: []Row{{"a|b", []Figure{full, alone}}}},
			{Title: "Simulated only", What: "lock", Columns: []Column{{"wait", "ms"}}, Rows: []Row{{"a", []Figure{alone}}}},
		},
		Notes: []string{"A note."},
	}
	const want = "## waits\n\nHow long?\n\nPublished: A document\n" + `
### All

| lock | measure | document | simulated | 95 % interval | to the document's | simulated over loopback | real | simulated to real |
|---|---|---:|---:|---:|---:|---:|---:|---:|
| a\|b | requests | 500 | 1,000 | 990 to 1,010 | ×2.00 | 800 | 400 | ×2.00 |
|  | wait (ms) |  | 2.50 |  |  |  |  |  |

### Simulated only

| lock | measure | simulated |
|---|---|---:|
| a | wait (ms) | 2.50 |

| claim | holds in |
|---|---:|
| It is long. Often. | 3 of 4 |

- A note.

` + "```\nsimrun experiment waits\n```\n"
	var got bytes.Buffer
	if err := report.Markdown(&got); err != nil || got.String() != want {
		t.Errorf("%v\n%s", err, got.String())
	}
}
