package real

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/store"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// tableOf is a table with its primary key.
type tableOf struct {
	name string
	key  []keyColumn
}

// keyColumn is a column of a primary key: its name, its number in the table, and the number of its type.
type keyColumn struct{ name, number, oid string }

// describe lists the tables of the schema public that have a primary key.
func (s *server) describe() (list []tableOf, err error) {
	r, err := s.ask(`SELECT c.relname, a.attname, a.attnum, a.atttypid FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
JOIN unnest(i.indkey) WITH ORDINALITY k(number, place) ON true JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, k.place`)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if name := string(row[0]); len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, tableOf{name: name})
		}
		t := &list[len(list)-1]
		t.key = append(t.key, keyColumn{string(row[1]), string(row[2]), string(row[3])})
	}
	return list, nil
}

// Records are the server's.
func (s *server) Records(string) (map[string]confirm.Record, error) {
	records := map[string]confirm.Record{}
	for _, t := range s.tables {
		if err := s.rows(t, records); err != nil {
			return nil, fmt.Errorf("the rows of %s: %w", t.name, err)
		}
		if err := s.rowLocks(t, records); err != nil {
			return nil, fmt.Errorf("the locks of rows of %s: %w", t.name, err)
		}
		if err := s.newRows(t, records); err != nil {
			return nil, fmt.Errorf("the new rows of %s: %w", t.name, err)
		}
	}
	if err := s.locks(records); err != nil {
		return nil, fmt.Errorf("advisory locks and locks of tables: %w", err)
	}
	return records, nil
}

// quoted is a name in a statement.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal is the table's name as a string in a statement.
func (t tableOf) literal() string {
	return "'public." + strings.ReplaceAll(quoted(t.name), "'", "''") + "'"
}

// rows reads the rows that are committed.
func (s *server) rows(t tableOf, records map[string]confirm.Record) error {
	r, err := s.ask("SELECT * FROM " + quoted(t.name))
	if err != nil {
		return err
	}
	for _, row := range r.Rows {
		record := confirm.Record{Value: model.Stored{Type: "row"}}
		texts := map[string]string{}
		for i, v := range row {
			column, text := r.FieldDescriptions[i].Name, "NULL"
			if v != nil {
				text = string(v)
			}
			if at, is := instant(r.FieldDescriptions[i].DataTypeOID, text); is {
				if record.Times == nil {
					record.Times = map[int]time.Time{}
				}
				record.Times[len(record.Value.Items)+1] = at
			}
			texts[column] = text
			record.Value.Items = append(record.Value.Items, column, text)
		}
		var key []string
		for _, column := range t.key {
			key = append(key, texts[column.name])
		}
		records[store.RowKey(t.name, key...)] = record
	}
	return nil
}

// instant returns the time that a value is.
func instant(oid uint32, text string) (at time.Time, is bool) {
	layout := map[uint32]string{pgtype.TimestampOID: "2006-01-02 15:04:05.999999", pgtype.TimestamptzOID: "2006-01-02 15:04:05.999999Z07"}[oid]
	if layout == "" {
		return at, false
	}
	at, err := time.Parse(layout, text)
	return at, err == nil // infinity is none
}

// lockOf is the record of a lock that a session has.
func lockOf(pid string) confirm.Record {
	return confirm.Record{Value: model.Stored{Type: "string", Text: sessionName(pid)}, Session: sessionName(pid)}
}

// rowLocks reads which sessions have locked or changed rows.
func (s *server) rowLocks(t tableOf, records map[string]confirm.Record) error {
	var key []string
	for _, column := range t.key {
		key = append(key, "r."+quoted(column.name))
	}
	r, err := s.ask(`SELECT p.pid, ` + strings.Join(key, ", ") + ` FROM pgrowlocks(` + t.literal() + `) l JOIN ` + quoted(t.name) + ` r ON r.ctid = l.locked_row,
unnest(l.modes, l.pids) p(mode, pid) WHERE p.mode LIKE '%Update' AND p.pid <> 0`)
	if err != nil {
		return err
	}
	for _, row := range r.Rows {
		var key []string
		for _, v := range row[1:] {
			key = append(key, string(v))
		}
		records[store.RowLockKey(t.name, key...)] = lockOf(string(row[0]))
	}
	return nil
}

// locks reads which sessions have advisory locks, and tables by LOCK TABLE.
func (s *server) locks(records map[string]confirm.Record) error {
	r, err := s.ask(`SELECT l.pid, l.locktype, l.classid, l.objid, l.objsubid, c.relname FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation
WHERE l.granted AND (l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' OR c.relkind = 'r' AND l.mode IN ('ExclusiveLock', 'AccessExclusiveLock') AND c.relnamespace = 'public'::regnamespace)`)
	if err != nil {
		return err
	}
	for _, row := range r.Rows {
		key := store.TableLockKey(string(row[5]))
		if string(row[1]) == "advisory" {
			key = advisoryKey(string(row[2]), string(row[3]), string(row[4]))
		}
		records[key] = lockOf(string(row[0]))
	}
	return nil
}

// advisoryKey is the key of an advisory lock by its columns in pg_locks: the halves of a bigint, or two integers.
func advisoryKey(class, object, sub string) string {
	high, _ := strconv.ParseUint(class, 10, 32)
	low, _ := strconv.ParseUint(object, 10, 32)
	if sub == "2" {
		return store.AdvisoryKey(int64(int32(high)), int64(int32(low)))
	}
	return store.AdvisoryKey(int64(high<<32 | low))
}
