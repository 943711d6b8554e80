package packed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// A seal is the last field of the object with which a text of JSON ends: the SHA-256 of the text without it.
const (
	sealBegin = `,"sha256":"`
	sealEnd   = "\"}\n"
	textEnd   = "}\n"
	sealSize  = len(sealBegin) + 2*sha256.Size + len(sealEnd)
)

// ErrNoSeal is the error of a text that does not end with a seal: it is cut off, or was never sealed.
var ErrNoSeal = errors.New("it does not end with its checksum, as if it were cut off")

// Seal adds a seal to a text that ends with a non-empty object and a newline. The result is still JSON, or a sequence of
// JSON. It protects only against damage: anyone can change the text and seal it again.
func Seal(text []byte) []byte {
	body, ends := bytes.CutSuffix(text, []byte(textEnd))
	if !ends || bytes.HasSuffix(body, []byte("{")) {
		panic("packed: a text to be sealed must end with an object that is not empty, and a newline")
	}
	return fmt.Appendf(bytes.Clone(body), `%s%x%s`, sealBegin, sha256.Sum256(text), sealEnd)
}

// Unseal returns the text without its seal. The error is [ErrNoSeal], or that the checksum differs.
func Unseal(sealed []byte) ([]byte, error) {
	at := len(sealed) - sealSize
	if at < 0 || !bytes.HasPrefix(sealed[at:], []byte(sealBegin)) || !bytes.HasSuffix(sealed, []byte(sealEnd)) {
		return nil, ErrNoSeal
	}
	text := append(bytes.Clone(sealed[:at]), textEnd...)
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != string(sealed[at+len(sealBegin):len(sealed)-len(sealEnd)]) {
		return nil, fmt.Errorf("it has changed since it was written: its SHA-256 is %s, and not the one at its end", got)
	}
	return text, nil
}
