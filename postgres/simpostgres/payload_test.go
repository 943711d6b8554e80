package simpostgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// encoder is a message of either side.
type encoder interface {
	Encode(dst []byte) ([]byte, error)
}

// encoded are messages as a segment.
func encoded(t testing.TB, messages ...encoder) (out []byte) {
	t.Helper()
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// described is a column of a result.
func described(name string, oid types.OID) pgproto3.FieldDescription {
	return pgproto3.FieldDescription{Name: []byte(name), DataTypeOID: uint32(oid)}
}

// TestPayload: the segments of a connection are described by what they say.
func TestPayload(t *testing.T) {
	columns := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{described("name", types.TextOID), described("version", types.Int8OID)}}
	row := func(name, version string) encoder {
		return &pgproto3.DataRow{Values: [][]byte{[]byte(name), []byte(version)}}
	}
	done := func(tag string) encoder { return &pgproto3.CommandComplete{CommandTag: []byte(tag)} }
	ready := &pgproto3.ReadyForQuery{TxStatus: 'I'}
	const seven = "\x00\x00\x00\x00\x00\x00\x00\x07"
	var segments []sim.Event
	for i, step := range []struct {
		from    string
		segment []byte
		want    payload.Message
	}{
		{"c1", encoded(t, &pgproto3.SSLRequest{}), payload.Message{Text: "encryption?", Aside: true}},
		{"postgres1", []byte("N"), payload.Message{Text: "no encryption", Aside: true}},
		{"c1", encoded(t, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "me"}}), payload.Message{Text: "log in", Aside: true}},
		{"postgres1", encoded(t, &pgproto3.AuthenticationOk{}, ready), payload.Message{Text: "ok", Aside: true}},
		{"c1", encoded(t, &pgproto3.Query{String: "SELECT *\n FROM  t"}), payload.Message{Text: "SELECT * FROM t"}},
		{"postgres1", encoded(t, columns, row("a", "7"), row("", "8"), done("SELECT 2"), ready), payload.Message{Text: "2 rows: a, 7", List: true}},
		{"c1", encoded(t, &pgproto3.Parse{Name: "s", Query: "SELECT name, version FROM t WHERE name = $1 AND version = $2"}, &pgproto3.Describe{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{}), payload.Message{Text: "prepare SELECT name, version FROM t WHERE name = $1 AND version = $2", Aside: true}},
		{"postgres1", encoded(t, &pgproto3.ParseComplete{}, &pgproto3.ParameterDescription{ParameterOIDs: []uint32{25, 20}}, columns, ready), payload.Message{Text: "ok", Aside: true, List: true}},
		{"c1", encoded(t, &pgproto3.Bind{PreparedStatement: "s", ParameterFormatCodes: []int16{0, 1}, Parameters: [][]byte{[]byte("x"), []byte(seven)}, ResultFormatCodes: []int16{0, 1}},
			&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{}), payload.Message{Text: "SELECT name, version FROM t WHERE name = 'x' AND version = 7"}},
		{"postgres1", encoded(t, &pgproto3.BindComplete{}, columns, row("x", seven), done("SELECT 1"), ready), payload.Message{Text: "1 row: x, 7", List: true}},
		{"c1", encoded(t, &pgproto3.Query{String: "UPDATE t SET version = 1"}), payload.Message{Text: "UPDATE t SET version = 1"}},
		{"postgres1", encoded(t, done("UPDATE 0"), ready), payload.Message{Text: "ok, 0 rows"}},
		{"c1", encoded(t, &pgproto3.Query{String: "COMMIT"}), payload.Message{Text: "COMMIT", Aside: true}},
		{"postgres1", encoded(t, &pgproto3.NoticeResponse{Severity: "WARNING", Code: "25P01", Message: "there is none"}, done("COMMIT"), ready), payload.Message{Text: "warning 25P01 there is none; ok"}},
		{"postgres1", encoded(t, &pgproto3.NotificationResponse{PID: 3, Channel: "c", Payload: "p"}), payload.Message{Text: "notification on c p"}},
		{"c1", encoded(t, &pgproto3.Query{String: "DELETE FROM t"}), payload.Message{Text: "DELETE FROM t"}},
		{"postgres1", encoded(t, &pgproto3.ErrorResponse{Severity: "ERROR", Code: "40P01", Message: "deadlock detected"}, ready), payload.Message{Text: "error 40P01 deadlock detected"}},
		{"c1", encoded(t, &pgproto3.Terminate{}), payload.Message{Text: "quit", Aside: true}},
		{"c1", []byte("GET / HTTP/1.1"), payload.Message{Text: "GET / HTTP/1.1"}},
		{"c1", nil, payload.Message{Text: "ok", Aside: true}},
	} {
		segments = append(segments, sim.Event{Seq: int64(i + 1), Conn: 1, Peer: step.from, Payload: step.segment})
		if got := payload.Of("postgres", segments, &segments[i]); got != step.want {
			t.Errorf("%d: %+v, want %+v", i, got, step.want)
		}
	}
}

// FuzzPayload: any bytes can be described.
func FuzzPayload(f *testing.F) {
	f.Add(encoded(f, &pgproto3.Query{String: "SELECT '\x01\x1b[2J'"}), true)
	f.Add(encoded(f, &pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{{1, 2}}, ParameterFormatCodes: []int16{1, 1, 1}}, &pgproto3.Execute{}), true)
	f.Add(encoded(f, &pgproto3.RowDescription{}, &pgproto3.DataRow{Values: [][]byte{{0}, nil}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}), false)
	f.Fuzz(func(t *testing.T, segment []byte, client bool) {
		c := conversation{client: "c", statements: map[string]*spoken{"s": {text: "SELECT $1", params: []uint32{20}}}, portals: map[string]*execution{}}
		from := map[bool]string{true: "c", false: "s"}[client]
		for range 2 {
			if text := c.read(&sim.Event{Peer: from, Payload: segment}).Text; wording.Printable(text) != text {
				t.Errorf("%q", text)
			}
		}
	})
}
