package real

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// packet is one of the protocol.
func packet(sequence byte, body string) string {
	return string([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), sequence}) + body
}

const (
	greeting = "\n10.11\x00\x07\x00\x00\x00salt"
	ok       = "\x00\x00\x00\x02\x00\x00\x00"
	eof      = "\xfe\x00\x00\x02\x00"
)

// opened is a connection behind its log-in.
func opened(t *testing.T, capabilities string) confirm.Conversation {
	t.Helper()
	c := New(confirm.Setup{}).Converse()
	for i, sent := range []string{packet(0, greeting), packet(1, capabilities+"root"), packet(2, ok)} {
		read := c.Server
		if i == 1 {
			read = c.Client
		}
		if list, err := read([]byte(sent)); err != nil || len(list) != 1 || list[0].Number != 0 || list[0].Signature != "" {
			t.Fatalf("%q: %+v, %v", sent, list, err)
		}
	}
	if got := c.(confirm.Sessional).Session(); got != "connection 7" {
		t.Errorf("the session is %q", got)
	}
	return c
}

// TestAnswers: an answer is whole with its last packet, by the rules that both ends have agreed on.
func TestAnswers(t *testing.T) {
	rows := func(end string) []string { return []string{"\x01", "column", eof, "\x011", "\x012", end} }
	for name, c := range map[string]struct {
		capabilities, request string
		answer                []string
	}{
		"ok":               {"\x0d\xa2\x0a\x00", "\x03UPDATE t", []string{ok}},
		"error":            {"\x0d\xa2\x0a\x00", "\x03UPDATE t", []string{"\xff\x01\x02error"}},
		"rows":             {"\x0d\xa2\x0a\x00", "\x03SELECT 1", rows(eof)},
		"several results":  {"\x0d\xa2\x0a\x00", "\x03CALL p", append(rows("\xfe\x00\x00\x0a\x00"), ok)},
		"without EOF":      {"\x0d\xa2\x0a\x01", "\x03SELECT 1", []string{"\x01\x01", "column", "\x011", "\xfe\x00\x00\x02\x00\x00\x00"}},
		"not described":    {"\x0d\xa2\x0a\x01", "\x03SELECT 1", []string{"\x01\x00", "\x011", "\xfe\x00\x00\x02\x00\x00\x00"}},
		"prepared":         {"\x0d\xa2\x0a\x00", "\x16SELECT ?", []string{"\x00\x01\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00", "parameter", eof, "column", eof}},
		"prepared, no EOF": {"\x0d\xa2\x0a\x01", "\x16SELECT ?", []string{"\x00\x01\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00", "parameter", "column"}},
	} {
		conversation := opened(t, c.capabilities)
		asked, err := conversation.Client([]byte(packet(0, c.request)))
		if err != nil || len(asked) != 1 || asked[0].Number != 1 {
			t.Fatalf("%s: %+v, %v", name, asked, err)
		}
		for i, body := range c.answer {
			list, err := conversation.Server([]byte(packet(byte(i+1), body)))
			if last := i == len(c.answer)-1; err != nil || (len(list) == 1) != last {
				t.Fatalf("%s: after packet %d there are %+v, %v", name, i+1, list, err)
			} else if last && list[0].Number != 1 {
				t.Errorf("%s: %+v", name, list)
			}
		}
	}
}

// TestSignature: values make no difference, and what sets a connection up has none.
func TestSignature(t *testing.T) {
	for statement, want := range map[string]string{
		"SELECT GET_LOCK('lock', 2)":                      "SELECT GET_LOCK(?, ?) named lock lock true",
		"SELECT RELEASE_LOCK('lock')":                     "SELECT RELEASE_LOCK(?) named lock lock false",
		"DELETE  FROM t WHERE owner = 'a''b\\'c' AND n=7": "DELETE FROM t WHERE owner = ? AND n=? t/lock false",
		"SELECT name FROM t2 WHERE name='x' FOR UPDATE":   "SELECT name FROM t2 WHERE name=? FOR UPDATE t2/lock true",
		"SET SESSION wait_timeout = 2":                    " named lock lock false",
		"COMMIT":                                          "COMMIT named lock lock false",
	} {
		s, of := signature(statement), New(confirm.Setup{})
		if got := fmt.Sprint(s, " ", of.Key(s), " ", of.Blocks(s)); got != want {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
}

// TestPrepared: what a prepared statement executes is its text.
func TestPrepared(t *testing.T) {
	c := opened(t, "\x0d\xa2\x0a\x00")
	_, _ = c.Client([]byte(packet(0, "\x16COMMIT")))
	_, _ = c.Server([]byte(packet(1, "\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")))
	list, err := c.Client([]byte(packet(0, "\x17\x05\x00\x00\x00\x00\x01\x00\x00\x00") + packet(0, "\x19\x05\x00\x00\x00")))
	if err != nil || len(list) != 2 || list[0].Signature != "COMMIT" || list[0].Number != 2 || list[1].Number != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestLockedRows: the monitor says who has rows, not who waits for them.
func TestLockedRows(t *testing.T) {
	const status = "---TRANSACTION 22, ACTIVE 0 sec\nMariaDB thread id 5, OS thread handle 1, query id 9\n" +
		"RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `test`.`lock_rows` trx id 22 lock_mode X locks rec but not gap waiting\n 0: len 4; hex 6c6f636b; asc lock;;\n" +
		"---TRANSACTION 21, ACTIVE 0 sec\nMariaDB thread id 4, OS thread handle 1, query id 6\nTABLE LOCK table `test`.`lock_rows` trx id 21 lock mode IX\n" +
		"RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table `test`.`lock_rows` trx id 21 lock_mode X locks rec but not gap\n 0: len 4; hex 6c6f636b; asc lock;;\n 1: len 6; hex 000000000013; asc       ;;\n"
	if got := lockedRows(status); len(got) != 1 || got["lock of lock_rows/lock"] != 4 {
		t.Errorf("%v", got)
	}
}

// FuzzConversation: whatever comes, reading ends, and takes nothing that is not there.
func FuzzConversation(f *testing.F) {
	f.Add([]byte(packet(1, "\x0d\xa2\x0a\x00")+packet(0, "\x03SELECT 1")+packet(0, "\x16x")), []byte(packet(0, greeting)+packet(2, ok)+packet(1, "\x01")))
	f.Fuzz(func(t *testing.T, client, server []byte) {
		c := New(confirm.Setup{}).Converse()
		head := min(len(server), 80)
		for _, end := range []struct {
			read func([]byte) ([]confirm.Message, error)
			sent []byte
		}{{c.Server, server[:head]}, {c.Client, client}, {c.Server, server[head:]}} {
			list, _ := end.read(end.sent)
			for _, m := range list {
				if !bytes.Contains(append(bytes.Clone(client), server...), m.Bytes) {
					t.Errorf("%q is not there", m.Bytes)
				}
			}
		}
		_ = signature(string(client))
		_ = lockedRows(strings.ToValidUTF8(string(server), "?"))
	})
}
