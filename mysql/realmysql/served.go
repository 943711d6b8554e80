package realmysql

import (
	"context"
	"database/sql"
	"strings"

	_ "github.com/go-sql-driver/mysql" // the driver of Served and Load
)

// Served returns the number of statements of each kind, such as SELECT or COMMIT, that the
// server has executed for clients since it started, including this query itself. PREPARE and
// CLOSE count statements that the driver prepares.
func (s *Server) Served(ctx context.Context) (map[string]int, error) {
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SHOW GLOBAL STATUS LIKE 'Com\_%'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	served := map[string]int{}
	for rows.Next() {
		var variable string
		var n int
		if err := rows.Scan(&variable, &n); err != nil {
			return nil, err
		}
		if name := statement(variable); name != "" && n > 0 {
			served[name] += n
		}
	}
	return served, rows.Err()
}

// statement returns the kind of statement that a variable counts. An executed prepared
// statement is counted by its own kind, too.
func statement(variable string) string {
	name := strings.TrimPrefix(variable, "Com_")
	switch name {
	case "stmt_execute":
		return ""
	case "stmt_prepare":
		return "PREPARE"
	case "stmt_close":
		return "CLOSE"
	case "set_option":
		return "SET"
	}
	return strings.ToUpper(strings.ReplaceAll(name, "_", " "))
}

// Load executes statements, such as those that make tables.
func (s *Server) Load(ctx context.Context, statements ...string) error {
	db, err := sql.Open("mysql", s.DSN)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
