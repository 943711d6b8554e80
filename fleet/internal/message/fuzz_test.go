package message

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
)

// TestReportRefused: a report is read on one side of each line, and refused on the other.
func TestReportRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"alive","worker":"m-1.local_7","pieces":[0,4],"slots":256}`:           "",
		`{"kind":"kept","worker":"m-1","range":{"First":0,"End":4},"times":1}`:         "",
		`{"kind":"kept","worker":"m-1"}`:                                               "blocks 0 to 0",
		`{"kind":"kept","worker":"m-1","range":{"First":-1,"End":4}}`:                  "blocks -1 to 4",
		`{"kind":"kept","worker":"m-1","range":{"First":4,"End":4}}`:                   "blocks 4 to 4",
		`{"kind":"kept","worker":"m-1","range":{"First":0,"End":9223372036854775807}}`: "blocks 0 to 9",
		`{"kind":"told","worker":"m-1"}`:                                               `kind "told"`,
		`{"kind":"alive","worker":""}`:                                                 `has "" for`,
		`{"kind":"alive","worker":"a\u001b[2J"}`:                                       `has "a\x1b[2J" for`,
		`{"kind":"alive","worker":"` + strings.Repeat("a", 101) + `"}`:                 "want up to 100",
		`{"kind":"alive","worker":"m","slots":257}`:                                    "257 slots",
		`{"kind":"alive","worker":"m","pieces":[-1]}`:                                  "1 pieces",
		`{"kind":"alive","worker":"m","times":-1}`:                                     "-1 tries",
		`{"kind":"alive","worker":"m","slots":1e999}`:                                  "cannot be read",
		`[]`: "cannot be read",
	} {
		_, err := ReadReport([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	r, err := ReadReport([]byte(`{"kind":"failure","worker":"m","range":{"First":0,"End":4},"text":"a\u001b[2J\nb"}`))
	if err != nil || r.Text != "a\\x1b[2J\nb" {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// TestFleetRefused: a plan of sizes at the limits is read, and one beyond them refused: its number of pieces would overflow.
func TestFleetRefused(t *testing.T) {
	for plan, want := range map[string]bool{
		`{"blocks":4294967296,"size":4294967296}`: true, `{"blocks":0,"size":1}`: true,
		`{"blocks":4294967297,"size":1}`: false, `{"blocks":1,"size":9223372036854775807}`: false, `{"blocks":1,"size":0}`: false, `{"blocks":-1,"size":1}`: false,
	} {
		f, err := ReadFleet([]byte(`{"manifest":{"plan":` + plan + `},"leaseNanos":1000000000,"tries":1}`))
		if (err == nil) != want {
			t.Errorf("%s: %v", plan, err)
		} else if want && (f.Manifest.Plan.Pieces() < 0 || f.Manifest.Plan.Pieces() > pieces.MaxBlocks) {
			t.Errorf("%s: %d pieces", plan, f.Manifest.Plan.Pieces())
		}
	}
}

// FuzzMessages: whatever comes by the queue is refused or read, without a panic, and what is read is the same when it is sent again.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"alive","worker":"m-1","pieces":[0,4],"slots":2}`, `{"kind":"failure","worker":"m","range":{"First":0,"End":4},"times":3,"text":"\u001b[2J"}`,
		`{"First":0,"End":16}`, `{"returned":1,"error":"e","worker":"m"}`, `{"manifest":{"schema":1,"identity":{},"title":"t","plan":{"blocks":8,"size":4},"build":"b"},"bucket":"file:///b","leaseNanos":30000000000,"tries":5}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := ReadReport(data); err == nil {
			again(t, r, ReadReport)
		}
		if r, err := ReadPiece(data); err == nil {
			again(t, r, ReadPiece)
		}
		again(t, ReadFailed(data), func(data []byte) (Failed, error) { return ReadFailed(data), nil })
		if fleet, err := ReadFleet(data); err == nil && json.Valid(fleet.Manifest.Identity) {
			once, _ := json.Marshal(fleet)
			if fleet, err = ReadFleet(once); err != nil {
				t.Fatal(err)
			}
			again(t, fleet, ReadFleet)
			fleet.Manifest.Search()
			if pieces := fleet.Manifest.Plan.Pieces(); pieces < 0 {
				t.Errorf("%d pieces", pieces)
			}
		}
	})
}

// again checks that a message is the same when it is written and read.
func again[T any](t *testing.T, m T, read func([]byte) (T, error)) {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(raw)
	if other, _ := json.Marshal(got); err != nil || string(other) != string(raw) && !reflect.DeepEqual(m, got) {
		t.Errorf("%s: %v, %v", raw, got, err)
	}
}
