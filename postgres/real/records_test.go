package real

import (
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// TestRecords: a server shows committed rows, and who has locks of rows, tables and keys.
func TestRecords(t *testing.T) {
	realpostgres.Need(t)
	servers, err := New(confirm.Setup{Schema: []string{
		"CREATE TABLE locks (name text PRIMARY KEY, owner text, expires timestamptz)",
		"CREATE TABLE numbers (a bigint, b int, PRIMARY KEY (a, b))",
		"INSERT INTO locks VALUES ('lock', NULL, '2026-01-01 00:00:00+00'), ('other', 'a', 'infinity')",
	}}).Start([][]string{{"postgres1"}}, false, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Stop()
	s := servers.(*server)
	other := &server{addr: s.addr}
	if other.admin, err = connectTo(s.addr); err != nil {
		t.Fatal(err)
	}
	defer other.close()
	session := sessionName(strconv.Itoa(int(other.admin.PID())))
	for _, c := range []struct{ statement, key string }{
		{"SELECT pg_advisory_lock(-5)", "advisory lock -5"},
		{"SELECT pg_advisory_lock(1, -2)", "advisory lock 1, -2"},
		{"BEGIN; SELECT * FROM locks WHERE name = 'lock' FOR UPDATE", "lock of locks/lock"},
		{"UPDATE locks SET owner = 'b' WHERE name = 'other'", "lock of locks/other"},
		{"INSERT INTO locks VALUES ('new', 'b')", "lock of locks/new"},
		{"INSERT INTO numbers VALUES (-7, 8)", "lock of numbers/-7/8"},
		{"LOCK TABLE locks IN EXCLUSIVE MODE", "table lock locks"},
	} {
		if before := records(t, s); before[c.key].Session != "" {
			t.Errorf("%s is there before %s", c.key, c.statement)
		}
		if _, err := other.ask(c.statement); err != nil {
			t.Fatal(err)
		}
		if got := records(t, s)[c.key]; got.Session != session || got.Value.Text != session {
			t.Errorf("after %s, %s is %+v", c.statement, c.key, got)
		}
	}
	row := records(t, s)["locks/lock"]
	if want := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); len(row.Value.Items) != 6 || row.Value.Items[3] != "NULL" || !row.Times[5].Equal(want) {
		t.Errorf("the row is %+v", row)
	}
	if row := records(t, s)["locks/other"]; len(row.Times) != 0 || row.Value.Items[3] != "a" {
		t.Errorf("the row is %+v", row)
	}
	if err := servers.Hang("postgres1", true); err != nil {
		t.Fatal(err)
	}
	if err := servers.Hang("postgres1", false); err != nil {
		t.Fatal(err)
	}
	if err := servers.Kill("postgres1"); err != nil {
		t.Fatal(err)
	}
	if err := servers.Restart("postgres1"); err != nil {
		t.Fatal(err)
	}
	if got := records(t, s); len(got) != 2 {
		t.Errorf("after a restart there are %d records: %v", len(got), got)
	}
}

func records(t *testing.T, s confirm.Servers) map[string]confirm.Record {
	t.Helper()
	list, err := s.Records("postgres1")
	if err != nil {
		t.Fatal(err)
	}
	return list
}
