package scripts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// name is a name in a command's text.
func name(word string) string {
	if word == "-" {
		return ""
	}
	return word
}

// message returns the message of a command, nil if it has none.
func (c Command) message() pgproto3.FrontendMessage {
	words := strings.Fields(c.Text)
	word := func(i int) string {
		if i < len(words) {
			return name(words[i])
		}
		return ""
	}
	switch c.Do {
	case "Q":
		return &pgproto3.Query{String: c.Text}
	case "P":
		of, text, _ := strings.Cut(c.Text, " ")
		return &pgproto3.Parse{Name: name(of), Query: text}
	case "B":
		return bind(words)
	case "D":
		return &pgproto3.Describe{ObjectType: kind(word(0)), Name: word(1)}
	case "E":
		rows, _ := strconv.Atoi(word(1)) // 0 if there is none: all
		return &pgproto3.Execute{Portal: word(0), MaxRows: uint32(rows)}
	case "C":
		return &pgproto3.Close{ObjectType: kind(word(0)), Name: word(1)}
	case "H":
		return &pgproto3.Flush{}
	case "S":
		return &pgproto3.Sync{}
	case "X":
		return &pgproto3.Terminate{}
	}
	return nil
}

func kind(word string) byte {
	if word == "P" {
		return 'P'
	}
	return 'S'
}

// bind makes the message of a B.
func bind(words []string) pgproto3.FrontendMessage {
	b := &pgproto3.Bind{}
	if len(words) > 0 && words[0] == "*" {
		b.ResultFormatCodes, words = []int16{1}, words[1:]
	}
	if len(words) < 2 {
		panic(fmt.Sprintf("B %v: want a portal and a statement", words))
	}
	b.DestinationPortal, b.PreparedStatement = name(words[0]), name(words[1])
	for _, w := range words[2:] {
		if w == `\N` {
			b.Parameters = append(b.Parameters, nil)
			continue
		}
		b.Parameters = append(b.Parameters, []byte(w))
	}
	return b
}
