package real

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// encode encodes messages of either end.
func encode(t testing.TB, messages ...pgproto3.Message) (sent []byte) {
	t.Helper()
	for _, m := range messages {
		var err error
		if sent, err = m.Encode(sent); err != nil {
			t.Fatal(err)
		}
	}
	return sent
}

// logIn are the messages of a server that lets a client in.
var logIn = []pgproto3.Message{
	&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "server_version", Value: "15"},
	&pgproto3.BackendKeyData{ProcessID: 7, SecretKey: []byte{0, 0, 0, 1}}, &pgproto3.ReadyForQuery{TxStatus: 'I'},
}

// opened is a connection behind its log-in, with a refused request for encryption before it.
func opened(t testing.TB) confirm.Conversation {
	t.Helper()
	c := New(confirm.Setup{}).Converse()
	for _, end := range []struct {
		read func([]byte) ([]confirm.Message, error)
		sent []byte
		want int
	}{
		{c.Client, encode(t, &pgproto3.SSLRequest{}), 1},
		{c.Server, []byte("N"), 1},
		{c.Client, encode(t, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "postgres"}}), 1},
		{c.Server, encode(t, logIn...), len(logIn)},
	} {
		list, err := end.read(end.sent)
		if err != nil || len(list) != end.want {
			t.Fatalf("%q: %d messages, %v", end.sent, len(list), err)
		}
		for _, m := range list {
			if m.Number != 0 || m.Signature != "" {
				t.Errorf("a message of the log-in is %+v", m)
			}
		}
	}
	if got := c.(confirm.Sessional).Session(); got != "connection 7" {
		t.Errorf("the session is %q", got)
	}
	return c
}

// TestRequests: a request is whole with its Sync, says what it executes, and is answered by all until ReadyForQuery.
func TestRequests(t *testing.T) {
	ready := &pgproto3.ReadyForQuery{TxStatus: 'I'}
	failed := &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "23505"}
	for name, c := range map[string]struct {
		request   []pgproto3.Message
		answer    []pgproto3.Message
		signature string
		failed    bool
	}{
		"simple":  {[]pgproto3.Message{&pgproto3.Query{String: "UPDATE t SET v = 1"}}, []pgproto3.Message{&pgproto3.CommandComplete{CommandTag: []byte("UPDATE 1")}, ready}, "UPDATE t SET v = ?", false},
		"failing": {[]pgproto3.Message{&pgproto3.Query{String: "COMMIT"}}, []pgproto3.Message{failed, ready}, "COMMIT", true},
		"fatal": {[]pgproto3.Message{&pgproto3.Query{String: "COMMIT"}}, []pgproto3.Message{
			&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01"}}, "COMMIT", true},
		"prepared": {[]pgproto3.Message{&pgproto3.Parse{Name: "s", Query: "COMMIT"}, &pgproto3.Describe{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{}}, []pgproto3.Message{&pgproto3.ParseComplete{}, &pgproto3.NoData{}, ready}, "", false},
		"executed": {[]pgproto3.Message{
			&pgproto3.Parse{Query: "SELECT pg_advisory_lock($1)"}, &pgproto3.Bind{Parameters: [][]byte{[]byte("1")}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{},
		}, []pgproto3.Message{&pgproto3.ParseComplete{}, &pgproto3.BindComplete{}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, ready}, "SELECT pg_advisory_lock($1)", false},
		"pipeline": {[]pgproto3.Message{
			&pgproto3.Parse{Query: "BEGIN"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Parse{Query: "DELETE FROM t"}, &pgproto3.Bind{}, &pgproto3.Execute{},
			&pgproto3.Parse{Query: "COMMIT"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{},
		}, []pgproto3.Message{&pgproto3.ParseComplete{}, ready}, "DELETE FROM t; COMMIT", false},
	} {
		conversation := opened(t)
		sent := encode(t, c.request...)
		half, err := conversation.Client(sent[:len(sent)-1])
		if err != nil || len(half) != 0 {
			t.Fatalf("%s: before its last byte a request is %+v, %v", name, half, err)
		}
		asked, err := conversation.Client(sent[len(sent)-1:])
		if err != nil || len(asked) != 1 || asked[0].Number != 1 || asked[0].Signature != c.signature || !bytes.Equal(asked[0].Bytes, sent) {
			t.Fatalf("%s: %+v, %v", name, asked, err)
		}
		answer := encode(t, c.answer...)
		list, err := conversation.Server(answer[:len(answer)-1])
		if err != nil || len(list) != 0 {
			t.Errorf("%s: before its last byte an answer is %+v, %v", name, list, err)
		}
		list, err = conversation.Server(answer[len(answer)-1:])
		if err != nil || len(list) != 1 || list[0].Number != 1 || list[0].Failed != c.failed || !bytes.Equal(list[0].Bytes, answer) {
			t.Errorf("%s: the answer is %+v, %v", name, list, err)
		}
	}
}

// TestUnasked: a notification has its channel, and a Terminate has no answer.
func TestUnasked(t *testing.T) {
	c := opened(t)
	list, err := c.Server(encode(t, &pgproto3.NotificationResponse{PID: 9, Channel: "locks", Payload: "x"}, &pgproto3.NoticeResponse{Severity: "WARNING"}))
	if err != nil || len(list) != 2 || list[0].Number != 0 || list[0].Signature != "notification locks" || list[1].Signature != "" {
		t.Errorf("%+v, %v", list, err)
	}
	list, err = c.Client(encode(t, &pgproto3.Terminate{}))
	if err != nil || len(list) != 1 || list[0].Number != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := c.Client(encode(t, &pgproto3.Flush{})); err == nil {
		t.Error("a Flush is read")
	}
}

// TestSignature: values make no difference, and what sets a connection up has none.
func TestSignature(t *testing.T) {
	for statement, want := range map[string]string{
		"SELECT pg_advisory_lock(-42)":                               "SELECT pg_advisory_lock(-?) advisory lock  true",
		"SELECT pg_advisory_xact_lock_shared($1, 2)":                 "SELECT pg_advisory_xact_lock_shared($1, ?) advisory lock  true",
		"SELECT pg_try_advisory_lock($1)":                            "SELECT pg_try_advisory_lock($1) advisory lock  false",
		"DELETE  FROM t WHERE owner = 'a''b' AND n=7;":               "DELETE FROM t WHERE owner = ? AND n=? t/lock false",
		"SELECT name FROM public.t2 WHERE name='x' FOR UPDATE":       "SELECT name FROM public.t2 WHERE name=? FOR UPDATE t2/lock true",
		"SELECT name FROM t2 FOR NO KEY UPDATE SKIP LOCKED":          "SELECT name FROM t2 FOR NO KEY UPDATE SKIP LOCKED t2/lock false",
		"LOCK TABLE \"t3\" IN EXCLUSIVE MODE":                        "LOCK TABLE \"t3\" IN EXCLUSIVE MODE t3/lock true",
		"INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a=2": "INSERT INTO t (a) VALUES (?) ON CONFLICT DO UPDATE SET a=? t/lock false",
		"SET lock_timeout = 2":                                       " advisory lock  false",
		"BEGIN; SET LOCAL lock_timeout = '2s'; UPDATE t SET v = 1":   "UPDATE t SET v = ? t/lock false",
		"BEGIN; SET LOCAL lock_timeout = '2s'":                       " advisory lock  false",
		"begin isolation level serializable":                         " advisory lock  false",
		"-- ping":                                                    " advisory lock  false",
		";":                                                          " advisory lock  false",
		"COMMIT":                                                     "COMMIT advisory lock  false",
	} {
		s, of := signature(statement), New(confirm.Setup{})
		if got := fmt.Sprint(s, " ", of.Key(s), " ", of.Blocks(s)); got != want {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
}

// FuzzConversation: whatever comes, reading ends, and takes nothing that is not there.
func FuzzConversation(f *testing.F) {
	start := encode(f, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "a"}})
	f.Add(start, encode(f, logIn...), encode(f, &pgproto3.Query{String: "SELECT 1"}, &pgproto3.Parse{Name: "x", Query: "y"}, &pgproto3.Execute{}, &pgproto3.Sync{}), []byte("E\x00\x00\x00\x06V\x00Z\x00\x00\x00\x05I"))
	f.Fuzz(func(t *testing.T, start, in, client, server []byte) {
		c := New(confirm.Setup{}).Converse()
		for _, end := range []struct {
			read func([]byte) ([]confirm.Message, error)
			sent []byte
		}{{c.Client, start}, {c.Server, in}, {c.Client, client}, {c.Server, server}} {
			list, _ := end.read(end.sent)
			for _, m := range list {
				if !bytes.Contains(append(append(bytes.Clone(start), client...), append(bytes.Clone(in), server...)...), m.Bytes) {
					t.Errorf("%q is not there", m.Bytes)
				}
			}
		}
		_ = signature(string(client))
	})
}
