package simh2

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2/hpack"
)

func TestParts(t *testing.T) {
	call := appendFields(nil, []hpack.HeaderField{{Name: ":method", Value: "POST"}, {Name: fieldPath, Value: "/s/M"}})
	fails := appendFields(nil, []hpack.HeaderField{{Name: "grpc-status", Value: "14"}, {Name: "grpc-message", Value: percent("50% is\nover")}})
	for _, test := range []struct {
		name    string
		segment []byte
		want    string
	}{
		{"a call and its end", appendData(appendHeaders(nil, 1, 0, call), 1, []byte(message("abc")), true), `1 /s/M "abc" ends`},
		{"two streams", appendData(appendData(nil, 3, []byte(message("a")), false), 5, slices.Concat([]byte(message("")), []byte(message("b"))), false), `3 "a", 5 "" "b"`},
		{"half a message", appendData(nil, 3, []byte(message("abc"))[:6], false), `3`},
		{"a greeting", appendFrame([]byte(preface), kindSettings, 0, 0, nil), `SETTINGS`},
		{"an answer", appendHeaders(appendData(appendHeaders(nil, 1, 0, responseFields), 1, []byte(message("a")), false), 1, flagEndStream, fails), `1 "a" ends 14 50% is` + "\nover"},
		{"a reset", appendUint32Frame(nil, kindRSTStream, 7, codeNone), `7 reset`},
		{"a reset after the end", appendUint32Frame(appendHeaders(nil, 1, flagEndStream, fails), kindRSTStream, 1, codeNone), `1 ends 14 50% is` + "\nover"},
		{"half a frame", appendData(nil, 3, []byte(message("abc")), false)[:12], `unknown`},
		{"something else", []byte("GET / HTTP/1.1\r\n\r\n"), `unknown`},
		{"nothing", nil, `unknown`},
	} {
		if got := partsText(test.segment); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestPartsOfManyStreams: what it takes to read a segment is in proportion to its length, not to the square of that.
func TestPartsOfManyStreams(t *testing.T) {
	// took returns the shortest of three times of reading a segment with this number of streams.
	took := func(streams int) (least time.Duration) {
		var segment []byte
		for i := range uint32(streams) {
			segment = appendData(segment, 2*i+1, []byte(message("a")), false)
		}
		least = time.Hour
		for range 3 {
			began := time.Now()
			parts, known := Parts(segment)
			least = min(least, time.Since(began))
			if !known || len(parts) != streams || len(parts[streams-1].Messages) != 1 {
				t.Fatalf("known %t, %d streams of %d", known, len(parts), streams)
			}
		}
		return least
	}
	if few, many := took(1_000), took(30_000); many > 300*few {
		t.Errorf("1,000 streams take %v, and 30,000 %v", few, many)
	}
}

func partsText(segment []byte) string {
	parts, known := Parts(segment)
	if !known {
		return "unknown"
	}
	var list []string
	for i := range parts {
		list = append(list, partText(&parts[i]))
	}
	return strings.Join(list, ", ")
}

func partText(p *Part) (text string) {
	text = p.Frame
	if p.Stream != 0 {
		text += fmt.Sprint(p.Stream)
	}
	if p.Method != "" {
		text += " " + p.Method
	}
	for _, m := range p.Messages {
		text += fmt.Sprintf(" %q", m)
	}
	if p.Ends {
		text += " ends"
	}
	if p.Reset {
		text += " reset"
	}
	if p.Code != 0 {
		text += fmt.Sprintf(" %d %s", p.Code, p.Text)
	}
	return text
}

// FuzzParts: any bytes may be read, by two readers alike.
func FuzzParts(f *testing.F) {
	f.Add(appendData(nil, 3, []byte(message("abc")), true))
	f.Add(appendFrame([]byte(preface), kindSettings, 0, 0, nil))
	f.Fuzz(func(t *testing.T, segment []byte) {
		if a, b := partsText(segment), partsText(slices.Clone(segment)); a != b {
			t.Errorf("%q and %q", a, b)
		}
	})
}
