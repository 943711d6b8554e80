package postgres

import (
	"encoding/binary"
	"testing"
)

func TestSorted(t *testing.T) {
	message := func(text string) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(8+len(text)))
		return string(binary.BigEndian.AppendUint32(b, 3<<16)) + text
	}
	for in, want := range map[string]string{
		message("user\x00postgres\x00database\x00shop\x00\x00"): message("database\x00shop\x00user\x00postgres\x00\x00"),
		message("a\x00\x00\x00"):                                message("a\x00\x00\x00"),
		message("\x00"):                                         message("\x00"),
		"Q\x00\x00\x00\x09SELECT\x00":                           "Q\x00\x00\x00\x09SELECT\x00",
		"\x00\x00\x00\x10\x04\xd2\x16.12345678":                 "\x00\x00\x00\x10\x04\xd2\x16.12345678",
	} {
		if got := string(sorted([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
