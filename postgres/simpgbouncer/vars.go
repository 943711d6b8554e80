package simpgbouncer

import (
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// tracked are the parameters that the pooler keeps for each client, and sets on the server connection that the
// client gets.
var tracked = [...]string{"client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings", "application_name"}

// vars are values of the tracked parameters, nil if unknown.
type vars [len(tracked)]*string

// set notes a value, and reports whether the parameter is tracked.
func (v *vars) set(name, value string) bool {
	for i, t := range tracked {
		if strings.EqualFold(t, name) {
			v[i] = &value
			return true
		}
	}
	return false
}

// fill sets values that are not known from others.
func (v *vars) fill(from *vars) {
	for i := range v {
		if v[i] == nil {
			v[i] = from[i]
		}
	}
}

// statuses returns the messages that report the values.
func (v *vars) statuses() (list []pgproto3.Message) {
	for i, value := range v {
		if value != nil {
			list = append(list, &pgproto3.ParameterStatus{Name: tracked[i], Value: *value})
		}
	}
	return list
}

// longestSet is the length from which on PgBouncer does not send a SET.
const longestSet = 128

// changes returns the statements that make a server's values those of the client.
func (v *vars) changes(server *vars) string {
	var sql strings.Builder
	for i, want := range v {
		is := server[i]
		if want == nil || is == nil || *want == "" || strings.EqualFold(*want, *is) {
			continue
		}
		if set := "SET " + tracked[i] + "=" + quote(*want) + ";"; len(set) < longestSet {
			sql.WriteString(set)
		}
	}
	return sql.String()
}
