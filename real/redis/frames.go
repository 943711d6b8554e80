package redis

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mostBulk is the maximum length of a bulk string, in bytes, and mostNested the maximum nesting of arrays.
const (
	mostBulk   = 64 << 20
	mostNested = 16
)

// frame reads a request, or an answer, of the protocol RESP, version 2 or 3.
func frame(r *bufio.Reader, b *bytes.Buffer, depth int) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	b.Write(line)
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 || depth > mostNested {
		return fmt.Errorf("no RESP: %q", line)
	}
	switch line[0] {
	case '$', '=', '!':
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil || n > mostBulk {
			return fmt.Errorf("no RESP: %q", line)
		}
		if n < 0 {
			return nil
		}
		_, err = io.CopyN(b, r, int64(n)+2)
		return err
	case '*', '~', '>', '%':
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil {
			return fmt.Errorf("no RESP: %q", line)
		}
		if line[0] == '%' {
			n *= 2
		}
		for range n {
			if err := frame(r, b, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// words returns the words of a request, or of a message that comes unasked.
func words(request []byte) (list []string) {
	r := bufio.NewReader(bytes.NewReader(request))
	head, err := r.ReadString('\n')
	if err != nil || head[0] != '*' && head[0] != '>' {
		return nil
	}
	n, _ := strconv.Atoi(strings.TrimSpace(head[1:]))
	for range n {
		size, err := r.ReadString('\n')
		if err != nil || size[0] != '$' {
			return list
		}
		length, err := strconv.Atoi(strings.TrimSpace(size[1:]))
		if err != nil || length < 0 || length > mostBulk {
			return list
		}
		word := make([]byte, length+2)
		if _, err := io.ReadFull(r, word); err != nil {
			return list
		}
		list = append(list, string(word[:length]))
	}
	return list
}

// Refused reports whether the whole script must be sent.
func (store) Refused(answer []byte) bool {
	return bytes.HasPrefix(answer, []byte("-NOSCRIPT")) || bytes.HasPrefix(answer, []byte("-ERR unknown command"))
}

// Key returns the key of a signature.
func (store) Key(signature string) string {
	_, key, _ := strings.Cut(signature, " ")
	return key
}

// Blocks reports whether a request waits at the server.
func (store) Blocks(signature string) bool {
	switch command, _, _ := strings.Cut(signature, " "); command {
	case "WAIT", "WAITAOF", "BLPOP", "BRPOP", "BLMOVE", "BZPOPMIN", "BZPOPMAX", "XREAD", "XREADGROUP":
		return true
	}
	return false
}
