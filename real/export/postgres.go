package export

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// postgresWords returns a function for the requests of a connection, whose word is the first two of the statement that is
// executed: "INSERT INTO", "SELECT pg_advisory_lock", "COMMIT".
func postgresWords() func(payload []byte) string {
	started, statements := false, map[string]string{}
	return func(payload []byte) string {
		if !started {
			n := startUp(payload)
			if n == 0 {
				return "" // it is not PostgreSQL's protocol
			}
			started, payload = true, payload[n:]
		}
		word := ""
		for {
			letter, body, rest := postgresMessage(payload)
			if letter == 0 {
				return word
			}
			texts := strings.SplitN(string(body), "\x00", 3)
			switch {
			case letter == 'Q':
				word = postgresWord(texts[0])
			case letter == 'P' && len(texts) > 1:
				statements[texts[0]] = texts[1]
			case letter == 'B' && len(texts) > 1:
				word = postgresWord(statements[texts[1]])
			}
			payload = rest
		}
	}
}

// startUp returns the length of a start-up message at the beginning, 0 if there is none.
func startUp(b []byte) int {
	const protocol3 = 3
	if len(b) < 8 || binary.BigEndian.Uint16(b[4:]) != protocol3 {
		return 0
	}
	if n := binary.BigEndian.Uint32(b); n >= 8 && int64(n) <= int64(len(b)) {
		return int(n)
	}
	return 0
}

// postgresMessage returns the first message and what follows it; letter is 0 if there is none.
func postgresMessage(b []byte) (letter byte, body, rest []byte) {
	const header = 5
	if len(b) < header {
		return 0, nil, nil
	}
	n := binary.BigEndian.Uint32(b[1:])
	if n < 4 || int64(n) > int64(len(b)-1) {
		return 0, nil, nil
	}
	return b[0], b[header : 1+n], b[1+n:]
}

// postgresWord returns the word of a statement, empty for one that only sets the connection up.
func postgresWord(statement string) string {
	words := strings.Fields(statement)
	if len(words) == 0 || strings.HasPrefix(words[0], "--") || slices.Contains([]string{"SET", "RESET", "SHOW", "BEGIN", "START", ";"}, strings.ToUpper(words[0])) {
		return ""
	}
	word, _, _ := strings.Cut(strings.Join(words[:min(2, len(words))], " "), "(")
	return string(bytes.TrimRight([]byte(word), "; "))
}
