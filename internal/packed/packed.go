package packed

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Above is the length of a text, in bytes, above which it is compressed.
const Above = 1 << 20

// magic begins every gzip file, and no text.
var magic = []byte{0x1f, 0x8b}

// Write writes a text, compressed if it is longer than [Above]. The same text gives the same bytes, since the header has
// neither a name nor a time; compressed texts only with the same version of Go, whose compression may change. To compare
// files of other builds, compare the results of Read.
func Write(w io.Writer, text []byte) error {
	if len(text) <= Above {
		_, err := w.Write(text)
		return err
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(text); err != nil {
		return err
	}
	return z.Close()
}

// TooLong is the error of a text that is longer than the reader accepts. The rest is not read, however small the file.
type TooLong struct {
	// Most is the maximum length of a text in bytes.
	Most int
	// Compressed is set if the file is compressed.
	Compressed bool
}

// Error describes the limit.
func (e *TooLong) Error() string {
	if e.Compressed {
		return fmt.Sprintf("decompresses to more than %d MiB", e.Most>>20)
	}
	return fmt.Sprintf("longer than %d MiB", e.Most>>20)
}

// Read reads a text of at most most bytes, compressed or not, and nothing after it. The error is a *[TooLong] if it is
// longer. Other errors of a compressed file describe the damage.
func Read(r io.Reader, most int) ([]byte, error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(len(magic)) // a reader that fails does so again
	if !bytes.Equal(head, magic) {
		return upTo(in, TooLong{Most: most})
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, damage(err)
	}
	z.Multistream(false) // one file holds one text
	text, err := upTo(z, TooLong{Most: most, Compressed: true})
	if err != nil {
		return nil, damage(err)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, errors.New("something follows the end of what is compressed")
	}
	return text, nil
}

// upTo reads all, unless it is too long.
func upTo(r io.Reader, limit TooLong) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(limit.Most)+1))
	if err == nil && len(text) > limit.Most {
		return nil, &limit
	}
	return text, err
}

// damage returns an error for a damaged compressed file.
func damage(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return errors.New("truncated: the compressed file ends early; copy or record it again")
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt):
		return fmt.Errorf("the compressed file is damaged (%w); copy or record it again", err)
	}
	return err
}
