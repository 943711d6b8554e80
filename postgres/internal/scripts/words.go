package scripts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// words puts messages into words.
type words struct {
	sessions []*Session
	letters  map[string]string // of numbers, by their kinds and the numbers
}

var (
	process = regexp.MustCompile(`\b([Pp]rocess|PID) (\d+)`)
	number  = regexp.MustCompile(`\b(transaction|relation|database|virtual transaction) ([0-9/]+)`)
	key     = regexp.MustCompile(`advisory lock \[\d+,`)
	version = regexp.MustCompile(`tuple \(\d+,\d+\)`)
)

// session is the number of the session with a process, and otherwise the process's number.
func (w *words) session(pid string) string {
	for _, s := range w.sessions {
		if s.PID != 0 && strconv.Itoa(int(s.PID)) == pid {
			return fmt.Sprintf("of session %d", s.Number)
		}
	}
	return "of nobody"
}

// isProcess reports whether a value is the number of a session's process, which is larger than what tables have.
func (w *words) isProcess(value string) bool {
	return len(value) > 2 && w.session(value) != "of nobody"
}

// text is a text of the server's, without numbers that differ from run to run.
func (w *words) text(text string) string {
	text = process.ReplaceAllStringFunc(text, func(s string) string {
		m := process.FindStringSubmatch(s)
		return m[1] + " " + w.session(m[2])
	})
	text = number.ReplaceAllStringFunc(text, func(s string) string {
		m := number.FindStringSubmatch(s)
		return m[1] + " " + w.letter(m[1], m[2])
	})
	text = key.ReplaceAllString(text, "advisory lock [,")
	return version.ReplaceAllString(text, "tuple (,)")
}

// letter is the letter for a number.
func (w *words) letter(kind, number string) string {
	key := kind + " " + number
	if w.letters[key] == "" {
		w.letters[key] = "#" + strconv.Itoa(len(w.letters)+1)
	}
	return w.letters[key]
}

// of puts a message into words.
func (w *words) of(m pgproto3.BackendMessage, columns []string) string {
	switch m := m.(type) {
	case *pgproto3.RowDescription:
		var list []string
		for _, f := range m.Fields {
			list = append(list, fmt.Sprintf("%s:%d:%d:%d:%d", f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Format))
		}
		return "columns " + strings.Join(list, " ")
	case *pgproto3.DataRow:
		return w.row(m, columns)
	case *pgproto3.CommandComplete:
		return "tag " + string(m.CommandTag)
	case *pgproto3.ReadyForQuery:
		return "ready " + string(m.TxStatus)
	case *pgproto3.ErrorResponse:
		return "error " + w.failure(m)
	case *pgproto3.NoticeResponse:
		return "notice " + w.failure((*pgproto3.ErrorResponse)(m))
	case *pgproto3.NotificationResponse:
		return fmt.Sprintf("notification %s: %s %q", w.session(strconv.Itoa(int(m.PID))), m.Channel, m.Payload)
	case *pgproto3.ParameterStatus:
		return fmt.Sprintf("parameter %s = %q", m.Name, m.Value)
	case *pgproto3.ParameterDescription:
		return fmt.Sprint("parameters ", m.ParameterOIDs)
	default:
		return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	}
}

// row puts a row into words.
func (w *words) row(m *pgproto3.DataRow, columns []string) string {
	var list []string
	for i, v := range m.Values {
		switch {
		case v == nil:
			list = append(list, "-")
		case w.isProcess(string(v)):
			list = append(list, w.session(string(v)))
		case len(columns) == len(m.Values) && columns[i] == "backend":
			list = append(list, w.letter("process", string(v)))
		case isText(v):
			list = append(list, w.text(string(v)))
		default:
			list = append(list, fmt.Sprintf("%x", v))
		}
	}
	return "row (" + strings.Join(list, " ") + ")"
}

// isText reports whether a value has printable characters only.
func isText(v []byte) bool {
	return !strings.ContainsFunc(string(v), func(r rune) bool { return r < ' ' || r == '�' })
}

// failure puts an error or a notice into words.
func (w *words) failure(e *pgproto3.ErrorResponse) string {
	list := []string{e.Severity, e.Code, w.text(e.Message)}
	for _, f := range []struct{ name, value string }{
		{"detail", w.text(e.Detail)}, {"hint", e.Hint}, {"schema", e.SchemaName}, {"table", e.TableName},
		{"column", e.ColumnName}, {"type", e.DataTypeName}, {"constraint", e.ConstraintName},
	} {
		if f.value != "" {
			list = append(list, f.name+": "+strings.ReplaceAll(f.value, "\n", "; "))
		}
	}
	if e.Position != 0 {
		list = append(list, fmt.Sprintf("at %d", e.Position))
	}
	return strings.Join(list, " | ")
}
