package real

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/lockpick-dev/lockpick/postgres/store"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// newRows reads which sessions have inserted rows, or new versions of rows, that are not committed, from the pages of the
// table.
func (s *server) newRows(t tableOf, records map[string]confirm.Record) error {
	var key []string
	for _, column := range t.key {
		key = append(key, "encode(i.t_attrs["+column.number+"], 'hex')")
	}
	name := t.literal()
	r, err := s.ask(`SELECT l.pid, ` + strings.Join(key, ", ") + ` FROM generate_series(0, pg_relation_size(` + name + `) / 8192 - 1) page,
heap_page_item_attrs(get_raw_page(` + name + `, page::int), ` + name + `) i
JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = i.t_xmin`)
	if err != nil {
		return err
	}
rows:
	for _, row := range r.Rows {
		var key []string
		for i, column := range t.key {
			value, known := stored(column.oid, string(row[i+1]))
			if !known {
				continue rows
			}
			key = append(key, value)
		}
		records[store.RowLockKey(t.name, key...)] = lockOf(string(row[0]))
	}
	return nil
}

// stored reads a value as a page has it.
func stored(oid, digits string) (text string, known bool) {
	b, err := hex.DecodeString(digits)
	if err != nil {
		return "", false
	}
	number, _ := strconv.Atoi(oid)
	switch {
	case number == pgtype.Int4OID && len(b) == 4:
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b)))), true
	case number == pgtype.Int8OID && len(b) == 8:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10), true
	case number == pgtype.TextOID || number == pgtype.VarcharOID:
		if len(b) > 0 && b[0]&1 == 1 && int(b[0]>>1) == len(b) { // a header of one byte
			return string(b[1:]), true
		}
	}
	return "", false
}
