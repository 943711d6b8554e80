package simmysql

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
	engine "github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim"
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
		{greeting("10.11", 7), payload.Message{Text: "hello, 10.11", Aside: true}},
		{packets(0, "\x03SELECT *\n FROM  t"), payload.Message{Text: "SELECT * FROM t"}},
		{packets(0, "\x01"), payload.Message{Text: "quit", Aside: true}},
		{packets(0, "\x16UPDATE t SET a = ?"), payload.Message{Text: "prepare UPDATE t SET a = ?", Aside: true}},
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

// TestPreparedStatement: the execution of a statement is told by its text with what it is given, and
// the answer says how many rows it has changed, even if none.
func TestPreparedStatement(t *testing.T) {
	answered := func(affected uint64) string {
		e := &encoder{sequence: 1}
		e.ok(&engine.Result{Affected: int64(affected)}, "", 2, 0)
		return string(e.out)
	}
	prepare := string(packets(0, "\x16UPDATE locks SET owner = ? WHERE name = ?"))
	prepared := string(packets(1, "\x00\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"))
	const execute = "\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00"
	for _, test := range []struct{ request, answer, want string }{
		{execute + "\x00\x01\xfe\x00\xfe\x00\x02c2\x04lock", answered(0), "UPDATE locks SET owner = 'c2' WHERE name = 'lock'; ok, 0 rows"},
		{execute + "\x01\x01\x06\x00\x08\x00\x07\x00\x00\x00\x00\x00\x00\x00", answered(1), "UPDATE locks SET owner = NULL WHERE name = 7; ok, 1 row"},
		{execute + "\x00\x00", answered(1), "UPDATE locks SET owner = ? WHERE name = ?; ok, 1 row"}, // bound before
		{execute + "\x00\x01\xfe\x00\xfe\x00\x02c2\x04l", answered(1), "UPDATE locks SET owner = ? WHERE name = ?; ok, 1 row"},
		{"\x17\x02\x00\x00\x00", answered(0), "execute statement 2; ok"},
		{"\x03COMMIT", answered(0), "COMMIT; ok"},
		{"\x03DELETE FROM locks", answered(0), "DELETE FROM locks; ok, 0 rows"},
	} {
		var segments []sim.Event
		for i, s := range []string{prepare, prepared, string(packets(0, test.request)), test.answer} {
			segments = append(segments, sim.Event{Seq: int64(i + 1), Conn: 1, Payload: []byte(s)})
		}
		request, answer := payload.Of("mysql", segments, &segments[2]), payload.Of("mysql", segments, &segments[3])
		if got := request.Text + "; " + answer.Text; got != test.want || answer.Aside || request.Aside != (test.want == "COMMIT; ok") {
			t.Errorf("it says %q, want %q (%+v)", got, test.want, request)
		}
	}
}

// FuzzPayload: any bytes can be described.
func FuzzPayload(f *testing.F) {
	f.Add(greeting("10.11", 7))
	f.Add(packets(1, "\x02", "x", "y", "\xfe\x00\x00\x00\x00", "\x01a\x01b", "\xfe\x00\x00\x00\x00"))
	f.Add(packets(1, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Add(packets(1, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff", "x"))
	f.Add(packets(0, "\x03SELECT '\x00\x1b[2J'"))
	f.Fuzz(func(t *testing.T, segment []byte) {
		c := conversation{prepared: map[uint32]string{1: "UPDATE t SET a = ?, b = ?"}}
		for range 2 {
			if text := c.read(segment).Text; wording.Printable(text) != text {
				t.Errorf("%q", text)
			}
		}
	})
}
