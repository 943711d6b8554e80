package simredis

import (
	"bytes"
	"errors"
	"strconv"
)

// errProtocol is a request that is no RESP array of bulk strings.
var errProtocol = errors.New("ERR Protocol error: expected an array of bulk strings")

// maxArgs and maxBulk bound what a request may announce, as Redis does.
const (
	maxArgs = 1 << 20
	maxBulk = 512 << 20
)

// parseCommand takes one command off the front of in. Without a whole one it
// returns no arguments and all of in.
func parseCommand(in []byte) (args []string, rest []byte, err error) {
	n, rest, ok, err := parseHeader(in, '*', maxArgs)
	if err != nil || !ok {
		return nil, in, err
	}
	args = make([]string, 0, n)
	for range n {
		var size int
		size, rest, ok, err = parseHeader(rest, '$', maxBulk)
		if err != nil || !ok || len(rest) < size+2 {
			return nil, in, err
		}
		if rest[size] != '\r' || rest[size+1] != '\n' {
			return nil, in, errProtocol
		}
		args = append(args, string(rest[:size]))
		rest = rest[size+2:]
	}
	return args, rest, nil
}

// parseHeader reads a line such as "*3\r\n"; ok tells whether there was a
// whole one.
func parseHeader(in []byte, kind byte, most int) (n int, rest []byte, ok bool, err error) {
	if len(in) == 0 {
		return 0, in, false, nil
	}
	if in[0] != kind {
		return 0, in, false, errProtocol
	}
	end := bytes.Index(in, []byte("\r\n"))
	if end < 0 {
		return 0, in, false, nil
	}
	n, err = strconv.Atoi(string(in[1:end]))
	if err != nil || n < 0 || n > most {
		return 0, in, false, errProtocol
	}
	return n, in[end+2:], true, nil
}
