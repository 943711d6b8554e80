package simmysql

import (
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
	engine "github.com/lockpick-dev/lockpick/sim/internal/sql"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// packets are bodies as packets, numbered from a first one.
func packets(first byte, bodies ...string) (out []byte) {
	e := &encoder{sequence: first}
	for _, b := range bodies {
		e.begin()
		e.out = append(e.out, b...)
		e.end()
	}
	return e.out
}

// TestPayload: segments are described by what they say.
func TestPayload(t *testing.T) {
	written := func(write func(*encoder)) []byte {
		e := &encoder{sequence: 1}
		write(e)
		return e.out
	}
	rows := &engine.Result{
		Columns: []engine.ResultColumn{{Name: "name", Type: columnTypes["varchar"]}, {Name: "version", Type: columnTypes["bigint"]}},
		Rows:    [][]engine.Value{{engine.TextValue("a"), engine.IntValue(7)}, {engine.TextValue("b"), {}}},
	}
	for _, test := range []struct {
		segment []byte
		want    payload.Message
	}{
		{greeting("10.11", 7), payload.Message{Text: "hello, 10.11"}},
		{packets(0, "\x03SELECT *\n FROM  t"), payload.Message{Text: "SELECT * FROM t"}},
		{packets(0, "\x01"), payload.Message{Text: "quit"}},
		{packets(0, "\x16UPDATE t SET a = ?"), payload.Message{Text: "prepare UPDATE t SET a = ?"}},
		{packets(0, "\x17\x02\x00\x00\x00"), payload.Message{Text: "execute statement 2"}},
		{written(func(e *encoder) { e.ok(&engine.Result{}, "", 2, 0) }), payload.Message{Text: "ok"}},
		{written(func(e *encoder) { e.ok(&engine.Result{Affected: 1}, "", 2, 0) }), payload.Message{Text: "ok, 1 row"}},
		{written(func(e *encoder) { e.failure(engine.ErrDeadlock) }), payload.Message{Text: "error 1213 Deadlock found when trying to get lock; try restarting trans…"}},
		{written(func(e *encoder) { e.rows(rows, 2, 0, false) }), payload.Message{Text: "2 rows: a, 7", List: true}},
		{written(func(e *encoder) { e.rows(rows, 2, 0, true) }), payload.Message{Text: "2 rows: a, 7", List: true}},
		{written(func(e *encoder) { e.rows(&engine.Result{Columns: rows.Columns}, 2, 0, true) }), payload.Message{Text: "no rows", List: true}},
		{[]byte("GET / HTTP/1.1"), payload.Message{Text: "GET / HTTP/1.1"}},
		{nil, payload.Message{}},
	} {
		if got := payload.Of("mysql", nil, &sim.Event{Payload: test.segment}); got != test.want {
			t.Errorf("%q: %+v, want %+v", test.segment, got, test.want)
		}
	}
}

// FuzzPayload: any bytes can be described.
func FuzzPayload(f *testing.F) {
	f.Add(greeting("10.11", 7))
	f.Add(packets(1, "\x02", "x", "y", "\xfe\x00\x00\x00\x00", "\x01a\x01b", "\xfe\x00\x00\x00\x00"))
	f.Add(packets(1, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Add(packets(1, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "x"))
	f.Fuzz(func(_ *testing.T, segment []byte) { readPayload(segment) })
}
