package real

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// frame is one of the protocol: its length, and numbers, long numbers, texts and bytes.
func frame(parts ...any) string {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(int32(p)))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p))
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
		case bool:
			b = append(b, map[bool]byte{true: 1}[p])
		}
	}
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(b)))) + string(b)
}

const (
	guid     = "0123456789abcdef0123456789abcdef"
	password = "sixteen bytes of"
)

// opening and opened are the first frames of a connection.
var (
	opening = frame(0, int64(0), 2000, int64(0), password)
	opened  = frame(0, 2000, int64(0x1000a), password)
)

// world is the list of those who may do anything.
func world() []any { return []any{1, 31, "world", "anyone"} }

func create(number int, path string, flags int) string {
	return frame(slices.Concat([]any{number, 1, path, "data"}, world(), []any{flags})...)
}

// told are the messages of what one end sends, in words, read in pieces.
func told(t *testing.T, read func([]byte) ([]confirm.Message, error), sent string) (words []string) {
	t.Helper()
	var all []byte
	for piece := range slices.Chunk([]byte(sent), 7) {
		list, err := read(piece)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			all = append(all, m.Bytes...)
			word := strings.TrimSpace(fmt.Sprintf("%d %s", m.Number, m.Signature))
			if m.Lives > 0 {
				word += fmt.Sprintf(" %s lives %v", m.Session, m.Lives)
			}
			words = append(words, word)
		}
	}
	if string(all) != sent {
		t.Errorf("%q is passed on of %q", all, sent)
	}
	return words
}

// TestConversation: which messages are requests, what they ask for, which answers are theirs, and what comes unasked.
func TestConversation(t *testing.T) {
	c := Store.Converse()
	protected := "/lock/_c_" + guid + "-lock-"
	got := told(t, c.Client, opening+create(1, protected, 3)+frame(2, 12, "/lock", false)+frame(-2, 11)+
		frame(3, 4, protected+"0000000007", true)+frame(-2, 11)+frame(4, 2, protected+"0000000007", -1)+
		frame(-8, 101, int64(5), 1, "/b", 1, "/a", 0)+frame(6, -11))
	want := []string{
		"1 connect", "2 create /lock/_c_*-lock- (ephemeral, sequential)", "3 getChildren2 /lock", "4 ping",
		"5 getData /lock/_c_*-lock*, watch", "6 ping", "7 delete /lock/_c_*-lock*", "8 setWatches", "9 closeSession",
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests\n%q, want\n%q", got, want)
	}
	const lives = " 0x1000a lives 2s"
	got = told(t, c.Server, opened+frame(1, int64(3), 0, protected+"0000000007")+frame(-2, int64(3), 0)+
		frame(-1, int64(-1), 0, 2, 3, protected+"0000000006")+frame(2, int64(3), 0, 0)+frame(-2, int64(3), 0)+
		frame(3, int64(3), -101)+frame(4, int64(4), -112)+frame(-8, int64(4), 0))
	want = []string{"1" + lives, "2" + lives, "4" + lives, "0 /lock/_c_*-lock* deleted", "3" + lives, "6" + lives, "5" + lives, "7", "8" + lives}
	if !slices.Equal(got, want) {
		t.Errorf("answers\n%q, want\n%q", got, want)
	}
}

// TestExpired: whose session has ended has none.
func TestExpired(t *testing.T) {
	c := Store.Converse()
	_ = told(t, c.Client, opening)
	if got := told(t, c.Server, frame(0, 0, int64(0), password)); !slices.Equal(got, []string{"1"}) {
		t.Errorf("%q", got)
	}
}

// TestTooLong: no frame is that long.
func TestTooLong(t *testing.T) {
	if list, err := Store.Converse().Client([]byte("\xff\xff\xff\xff")); err == nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestStore: what requests are about, and which pass at any time.
func TestStore(t *testing.T) {
	for signature, want := range map[string]string{ // unordered: each by itself
		"getData /lock/_c_*-lock*, watch": "/lock/_c_*-lock* false",
		"create /lock/n- (ephemeral)":     "/lock/n- false",
		"ping":                            " true",
		"sync /lock":                      "/lock false",
		"connect":                         " false",
	} {
		if got := fmt.Sprint(Store.Key(signature), " ", Store.Free(signature)); got != want {
			t.Errorf("%s: %q, want %q", signature, got, want)
		}
	}
}

// TestEnvironment: a client tries the members in the order of the trace, and then the others.
func TestEnvironment(t *testing.T) {
	dial := func(node, client string) sim.Event {
		return sim.Event{Kind: sim.EventDial, Actor: node, Peer: client}
	}
	tr := &traces.Trace{
		Actors: []traces.Actor{{Name: "c1", Kind: traces.ClientActor}, {Name: "zk1", Kind: traces.NodeActor}, {Name: "zk2", Kind: traces.NodeActor}, {Name: "zk3", Kind: traces.NodeActor}},
		Events: []sim.Event{dial("zk2", "c2"), dial("zk3", "c1"), dial("c1", "zk3"), dial("zk3", "c1"), dial("zk1", "c1")},
	}
	if got, want := Store.Environment(tr, "c1"), HostsVariable+"=[2,0,1]"; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// FuzzConversation: whatever both ends send, reading ends, and nothing is passed on that they have not sent.
func FuzzConversation(f *testing.F) {
	f.Add([]byte(opening+create(1, "/a", 3)), []byte(opened+frame(1, int64(3), 0, "/a")))
	f.Add([]byte(opening+frame(2, 14, 2, false, -1, "/a", 3)), []byte(frame(-1, int64(-1), 0, 2, 3, "/a")))
	f.Fuzz(func(t *testing.T, client, server []byte) {
		c := Store.Converse()
		for _, half := range []struct {
			sent []byte
			read func([]byte) ([]confirm.Message, error)
		}{{client, c.Client}, {server, c.Server}} {
			list, _ := half.read(half.sent) // an error is as good
			var all []byte
			for _, m := range list {
				all = append(all, m.Bytes...)
				_ = Store.Key(m.Signature)
			}
			if !bytes.HasPrefix(half.sent, all) {
				t.Errorf("%q of %q", all, half.sent)
			}
		}
	})
}
