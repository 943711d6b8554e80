package simmysql

import (
	"testing"

	engine "github.com/lockpick-dev/lockpick/mysql/sql"
)

// TestEngineErrors: each error of the SQL engine has a number and a text of MariaDB's.
func TestEngineErrors(t *testing.T) {
	for _, r := range engine.Reasons() {
		if e := engineErrors[r]; e.number == 0 || e.text == "" || len(e.state) != len("HY000") {
			t.Errorf("reason %d: %+v", r, e)
		}
	}
}
