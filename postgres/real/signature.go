package real

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres/store"
)

var (
	literal = regexp.MustCompile(`'(?:[^']|'')*'|\$?\b[0-9]+(?:\.[0-9]+)?\b`)
	comment = regexp.MustCompile(`--[^\n]*|/\*(?s:.*?)\*/`)
	table   = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:ONLY\s+)?(?:"?public"?\.)?"?([a-z_][a-z0-9_]*)`)
	waiting = regexp.MustCompile(`\bPG_ADVISORY_(?:XACT_)?LOCK(?:_SHARED)?\s*\(|\bFOR (?:UPDATE|NO KEY UPDATE|SHARE|KEY SHARE)\b|^LOCK\b`)
)

// signature is the statements of a text without their values. Those that only set the connection up are left out.
func signature(text string) string {
	text = literal.ReplaceAllStringFunc(comment.ReplaceAllString(text, " "), func(s string) string {
		if s[0] == '$' {
			return s
		}
		return "?"
	})
	var list []string
	for statement := range strings.SplitSeq(text, ";") {
		words := strings.Fields(statement)
		if len(words) == 0 || slices.Contains([]string{"SET", "RESET", "SHOW", "BEGIN", "START"}, strings.ToUpper(words[0])) {
			continue
		}
		list = append(list, strings.Join(words, " "))
	}
	return strings.Join(list, "; ")
}

// Key is the record of the lock in the table of a statement. The key of an advisory lock is a parameter, which a
// signature lacks.
func (*postgres) Key(signature string) string {
	if m := table.FindStringSubmatch(signature); m != nil {
		return store.RowKey(m[1], cell.LockName)
	}
	return store.AdvisoryKey()
}

// Blocks reports whether a statement may wait for a lock.
func (*postgres) Blocks(signature string) bool {
	s := strings.ToUpper(signature)
	return waiting.MatchString(s) && !strings.Contains(s, " NOWAIT") && !strings.Contains(s, " SKIP LOCKED")
}

// Refused is for other stores.
func (*postgres) Refused([]byte) bool { return false }
