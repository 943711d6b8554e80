package simzk

import (
	"testing"
	"time"
)

// TestReadFrames: frames of both ends say what they say to a server and to a client.
func TestReadFrames(t *testing.T) {
	var e encoder
	e.int(7)
	e.int(int32(opGetChildren2))
	e.string("/lock")
	e.bool(true)
	if r, err := ReadRequest(e.frame); err != nil || r != (Request{Number: 7, Op: "getChildren2", Text: "getChildren2 /lock, watch"}) {
		t.Errorf("a request: %+v, %v", r, err)
	}
	for name, c := range map[string]struct { // unordered: each by itself
		frame []byte
		want  Answer
	}{
		"an answer":             {reply(7, 3, codeOK, []byte("body")), Answer{Number: 7, Transaction: 3}},
		"of an expired session": {reply(7, 3, codeSessionExpired, nil), Answer{Number: 7, Transaction: 3, Expired: true}},
		"an event":              {event(eventDeleted, stateConnected, "/lock/a"), Answer{Number: -1, Transaction: -1, Event: "/lock/a deleted"}},
	} {
		if got, err := ReadAnswer(c.frame); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
		if got, err := ReadAnswer(c.frame[:12]); err == nil {
			t.Errorf("%s, cut off: %+v", name, got)
		}
	}
	if name, timeout := ReadOpened(connectReply(2*time.Second, 0x1000a, []byte("password"))); name != "0x1000a" || timeout != 2*time.Second {
		t.Errorf("a session: %s of %v", name, timeout)
	}
	if name, timeout := ReadOpened(connectReply(0, 0, nil)); name != "" || timeout != 0 {
		t.Errorf("no session: %s of %v", name, timeout)
	}
}
