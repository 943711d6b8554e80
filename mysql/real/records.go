package real

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/store"
)

// tableOf is a table with the number of the columns of its primary key, which are the first ones.
type tableOf struct {
	name string
	key  int
}

// describe lists the tables.
func (s *server) describe(ctx context.Context) (list []tableOf, err error) {
	rows, err := s.admin.QueryContext(ctx, `SELECT table_name, COUNT(*) FROM information_schema.statistics
WHERE table_schema = DATABASE() AND index_name = 'PRIMARY' GROUP BY table_name ORDER BY table_name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t tableOf
		if err := rows.Scan(&t.name, &t.key); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// Records are the server's.
func (s *server) Records(string) (map[string]confirm.Record, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	records := map[string]confirm.Record{}
	for _, t := range s.tables {
		if err := s.rows(ctx, t, records); err != nil {
			return nil, fmt.Errorf("the rows of %s: %w", t.name, err)
		}
	}
	if err := s.metadataLocks(ctx, records); err != nil {
		return nil, fmt.Errorf("the locks of GET_LOCK and LOCK TABLES: %w", err)
	}
	if err := s.rowLocks(ctx, records); err != nil {
		return nil, fmt.Errorf("the locks of rows: %w", err)
	}
	return records, nil
}

// rows reads the rows that are committed.
func (s *server) rows(ctx context.Context, t tableOf, records map[string]confirm.Record) error {
	rows, err := s.admin.QueryContext(ctx, "SELECT * FROM `"+t.name+"`")
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r := confirm.Record{Value: model.Stored{Type: "row"}}
		var key []string
		for i, v := range values {
			text := "NULL"
			switch v := v.(type) {
			case time.Time:
				if r.Times == nil {
					r.Times = map[int]time.Time{}
				}
				r.Times[len(r.Value.Items)+1] = v
				text = v.Format(confirm.TimeLayout)
			case []byte:
				text = string(v)
			case nil:
			default:
				text = fmt.Sprint(v)
			}
			r.Value.Items = append(r.Value.Items, columns[i], text)
			if i < t.key {
				key = append(key, text)
			}
		}
		records[store.RowKey(t.name, key...)] = r
	}
	return rows.Err()
}

// metadataLocks reads who has the locks of GET_LOCK and of LOCK TABLES ... WRITE.
func (s *server) metadataLocks(ctx context.Context, records map[string]confirm.Record) error {
	rows, err := s.admin.QueryContext(ctx, `SELECT thread_id, lock_mode, lock_type, table_schema, table_name FROM information_schema.metadata_lock_info`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var mode, kind, schema, name sql.NullString
		if err := rows.Scan(&id, &mode, &kind, &schema, &name); err != nil {
			return err
		}
		switch {
		case kind.String == "User lock":
			records[store.NamedLockKey(schema.String)] = lockOf(id)
		case kind.String == "Table metadata lock" && mode.String == "MDL_SHARED_NO_READ_WRITE":
			records[store.TableLockKey(name.String)] = lockOf(id)
		}
	}
	return rows.Err()
}

// lockOf is the record of a lock that a connection has.
func lockOf(id int64) confirm.Record {
	return confirm.Record{Value: model.Stored{Type: "string", Text: sessionName(id)}, Session: sessionName(id)}
}

// rowLocks reads which connections have rows.
func (s *server) rowLocks(ctx context.Context, records map[string]confirm.Record) error {
	var kind, name, status string
	if err := s.admin.QueryRowContext(ctx, "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &status); err != nil {
		return err
	}
	for key, id := range lockedRows(status) { // unordered: into a map
		records[key] = lockOf(id)
	}
	return nil
}

var (
	thread  = regexp.MustCompile(`^MariaDB thread id (\d+),`)
	locks   = regexp.MustCompile("^RECORD LOCKS .* index PRIMARY of table `[^`]*`\\.`([^`]*)` .* lock_mode X(.*)$")
	keyPart = regexp.MustCompile(`^ 0: len (\d+); hex ([0-9a-f]*);`)
)

// lockedRows reads the monitor of InnoDB: the connections that have locked rows exclusively, by the keys of the
// records. A key with several columns is read by its first one.
func lockedRows(status string) map[string]int64 {
	found := map[string]int64{}
	id, of := int64(0), ""
	for line := range strings.Lines(status) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "---TRANSACTION"):
			id, of = 0, ""
		case strings.HasPrefix(line, "TABLE LOCK"):
			of = ""
		}
		if m := thread.FindStringSubmatch(line); m != nil {
			id, _ = strconv.ParseInt(m[1], 10, 64)
		}
		if strings.HasPrefix(line, "RECORD LOCKS") {
			of = ""
			if m := locks.FindStringSubmatch(line); m != nil && !strings.Contains(m[2], "waiting") && !strings.Contains(m[2], "locks gap before rec") {
				of = m[1]
			}
		}
		if m := keyPart.FindStringSubmatch(line); m != nil && of != "" && id != 0 {
			if text, err := hex.DecodeString(m[2]); err == nil && string(text) != "supremum" {
				found[store.RowLockKey(of, string(text))] = id
			}
		}
	}
	return found
}
